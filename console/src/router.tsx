import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from './screens/account/routes.ts'
import { adminRoutes } from './screens/admin/routes.ts'
import { agentRoutes } from './screens/agents/routes.ts'
import { chatRoutes } from './screens/chat/routes.ts'
import { confirmationRoutes, connectionRoutes } from './screens/connections/routes.ts'
import { conversationRoutes } from './screens/conversations/routes.ts'
import { deploymentRoutes } from './screens/deployments/routes.ts'
import { homeRoutes } from './screens/home/routes.ts'
import { identityRoutes } from './screens/identity/routes.ts'
import { knowledgeRoutes } from './screens/knowledge/routes.ts'
import { organizationRoutes } from './screens/organization/routes.ts'
import { peopleRoutes } from './screens/people/routes.ts'
import { playgroundRoutes } from './screens/playground/routes.ts'
import { toolRoutes } from './screens/tools/routes.ts'
import { appRoute, rootRoute, shellRoutes } from './shell/app-route.tsx'
import { followNavigations } from './shell/late-screen.ts'
import { ScreenFailed } from './shell/screen-failed.tsx'

/** All routes: those that need no session first, then those for signed-in users. */
const tree = rootRoute.addChildren([
  ...identityRoutes,
  ...confirmationRoutes,
  appRoute.addChildren([
    ...homeRoutes,
    ...chatRoutes,
    ...conversationRoutes,
    ...knowledgeRoutes,
    ...agentRoutes,
    ...toolRoutes,
    ...deploymentRoutes,
    ...connectionRoutes,
    ...playgroundRoutes,
    ...peopleRoutes,
    ...organizationRoutes,
    ...adminRoutes,
    ...accountRoutes,
    ...shellRoutes,
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  // The navigation stays, because the parent route's component renders this in place of its outlet.
  defaultErrorComponent: ScreenFailed,
  scrollRestoration: true,
})
followNavigations(router)

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
