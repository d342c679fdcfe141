import { hostname } from 'node:os'

/** By which processes behind a proxy are told apart. In a container the host's name is the container's or the pod's. */
export const PROCESS_NAME = `${hostname()}:${process.pid}`
