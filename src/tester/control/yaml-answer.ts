/** An API document as YAML. Lines are not folded, because folded descriptions are hard to search. */
export async function yamlAnswer(document: object): Promise<Response> {
  const { stringify } = await import('yaml')
  const yaml = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
  return new Response(yaml, { headers: { 'content-type': 'application/yaml' } })
}
