/** A document of an API as YAML. Lines as long as the sentences: a description that is folded is hard to search. */
export async function yamlAnswer(document: object): Promise<Response> {
  const { stringify } = await import('yaml')
  const yaml = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
  return new Response(yaml, { headers: { 'content-type': 'application/yaml' } })
}
