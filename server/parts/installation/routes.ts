import { defineRoute, type Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import { readStatus } from './read-status.ts'
import { InstallationStatus } from './schemas.ts'

/** Routes about the installation, for the system administrator. */
export const installationRoutes = (services: Services): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/installation/status',
    summary: 'Get the status of mail, storage, providers and queues',
    description: 'Only the system administrator can call this.',
    access: 'system',
    reply: [200, InstallationStatus],
    errors: [],
    handler: () => readStatus(services),
  }),
]
