/** The problems that a public linter finds in an OpenAPI document, with Redocly's strictest rules and some extra ones. */
import { createConfig, lintFromString } from '@redocly/openapi-core'

export async function openApiProblems(source: string): Promise<string[]> {
  // All rules except the one that forbids localhost, which is the address of this API.
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-server-example.com': 'off',
      'info-contact': 'error',
      'operation-description': 'error',
      'operation-tag-defined': 'error',
    },
  })
  const problems = await lintFromString({ source, config })
  return problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)
}
