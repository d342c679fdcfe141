/** The public names of `paysim/control`. */
export { ApiError } from './spec/contract/api-error.ts'
export {
  type ConnectOptions,
  connect,
  type RemoteSandbox,
  type RemoteSimulator,
} from './tester/control/client.ts'
