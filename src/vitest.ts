/** The public names of `paysim/vitest`. */
export {
  type RemoteTestSandbox,
  type Running,
  type TestSandbox,
  type TestSandboxOptions,
  useSandbox,
} from './tools/in-tests/use-sandbox.ts'
