/** A file's content, bundled as a string by text-imports.ts of this package's root. */
declare module '*?text' {
  const text: string
  export default text
}
