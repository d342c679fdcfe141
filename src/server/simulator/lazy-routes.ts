/** The routes of an address besides /v1. The code of each is loaded with its first request. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { notFound } from '../../spec/contract/errors.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { PACKAGE_ROOT } from '../../spec/package.ts'
import type { Sandboxes } from '../../tester/control/control.ts'
import type { Guard } from '../../tester/control/guard.ts'
import type { LazyRoute } from '../http/app.ts'
import { DOCUMENT_PATHS, packageDocuments } from '../http/package-documents.ts'

interface ServedParts extends Guard {
  environment: Environment
  /** The sandboxes as testers see them; this loads the tester's verbs. */
  sandboxes(): Promise<Sandboxes>
  /** Where an environment is served, if it is. */
  urlOf(environment: Environment): string | undefined
  /** A sandbox of this environment, by its plain name. */
  find(name: string): Sandbox | undefined
  /** Aborted when the simulator closes. */
  closing: AbortSignal
  /** Answers a platform's request at the address of that environment. */
  platformSide(environment: Environment, request: Request): Promise<Response>
  logBug(message: string): (cause: unknown, client?: AbortSignal) => void
}

/** The first route with the path answers. */
export function lazyRoutes(parts: ServedParts): LazyRoute[] {
  const testers = testersRoute(parts)
  return [
    openApiRoute(parts),
    documentsRoute,
    mcpRoute(parts, testers),
    dashboardRoute(parts, testers),
    testers,
    buyerRoute(parts),
  ]
}

const openApiRoute = ({ environment, urlOf, publicUrl, find }: ServedParts): LazyRoute => ({
  paths: ['/openapi.json', '/openapi.yaml'],
  methods: ['GET'],
  async load() {
    const [{ openApiDocument }, { yamlAnswer }] = await Promise.all([
      import('../http/openapi.ts'),
      import('../../tester/control/yaml-answer.ts'),
    ])
    const serversAt = (origin: string) => {
      const urls = {
        staging: urlOf('staging'),
        production: urlOf('production'),
      }
      return Object.entries({ ...urls, [environment]: publicUrl ?? origin })
    }
    return {
      fetch({ url }) {
        const { origin, pathname, searchParams } = new URL(url)
        const sandbox = find(searchParams.get('sandbox') ?? DEFAULT_SANDBOX)
        if (!sandbox) return Response.json(notFound('Sandbox').body, { status: 404 })
        const document = openApiDocument(serversAt(origin), sandbox.contract)
        return pathname.endsWith('.yaml') ? yamlAnswer(document) : Response.json(document)
      },
    }
  },
})

const documentsRoute: LazyRoute = {
  paths: DOCUMENT_PATHS,
  methods: ['GET'],
  async load() {
    return packageDocuments(PACKAGE_ROOT)
  },
}

const testersRoute = ({ sandboxes, adminToken, guesses, publicUrl, logBug }: ServedParts): LazyRoute => ({
  paths: ['/_sim', '/_sim/*'],
  readsSocket: true,
  async load() {
    const { testersSide } = await import('../../tester/control/http.ts')
    const guard = { adminToken, guesses, publicUrl }
    return testersSide({ ...guard, sandboxes: await sandboxes(), bug: logBug("the tester's side failed") })
  },
})

const mcpRoute = (guard: ServedParts, testers: LazyRoute): LazyRoute => ({
  paths: ['/_sim/mcp'],
  async load() {
    const [{ mcpSide }, { fetch }] = await Promise.all([import('../../tester/mcp/http.ts'), testers.load()])
    return mcpSide({ guard, testersSide: fetch })
  },
})

function dashboardRoute(parts: ServedParts, testers: LazyRoute): LazyRoute {
  const { logBug } = parts
  return {
    paths: ['/', '/_sim/ui', '/_sim/ui/*'],
    async load() {
      const [{ dashboard }, { fetch }] = await Promise.all([
        import('../../pages/dashboard/routes.tsx'),
        testers.load(),
      ])
      return dashboard({
        ...parts,
        sandboxes: await parts.sandboxes(),
        testersSide: fetch,
        bug: logBug('a page of the dashboard failed'),
      })
    },
  }
}

const buyerRoute = ({ environment, find, logBug }: ServedParts): LazyRoute => ({
  paths: ['/checkout/*', '/sandboxes/:sandbox/checkout/*', '/assets/*'],
  async load() {
    const [{ buyerPages }, { linksOf }] = await Promise.all([
      import('../../pages/buyer/routes.tsx'),
      import('../../pages/dashboard/links.ts'),
    ])
    const findServices = (name = DEFAULT_SANDBOX) => find(name)?.doorServices
    const dashboard = (name = DEFAULT_SANDBOX) => linksOf(name).page
    return buyerPages({ environment, find: findServices, dashboard }, logBug('a checkout page failed'))
  },
})
