/** Takes back one count whose transaction was not committed. */
export type TakeBack = () => void
