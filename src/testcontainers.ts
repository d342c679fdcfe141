/** The public names of `paysim/testcontainers`. */
export { PaysimContainer, StartedPaysimContainer } from './tools/in-tests/paysim-container.ts'
