/** The problems that two public linters find in an OpenAPI document: Redocly's strictest rules and Spectral's. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

export async function openApiProblems(source: string): Promise<string[]> {
  // All but one rule that forbids localhost, which is where this API lives.
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'no-server-example.com': 'off' },
  })
  const redocly = await lintFromString({ source, config })
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [oas as RulesetDefinition] })
  return [
    ...redocly.map(({ message, location }) => `${location[0]?.pointer}: ${message}`),
    ...(await spectral.run(source)).map(
      ({ code, message, path }) => `${path.join('.')}: ${code}: ${message}`,
    ),
  ]
}
