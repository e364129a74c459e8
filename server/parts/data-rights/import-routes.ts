import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { described } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { OrganizationName } from '../org/index.ts'
import type { Eraser } from './eraser-system.ts'
import { importOrganization } from './import-organization-system.ts'
import { ImportView } from './import-schemas.ts'
import { ARCHIVE_BYTES_MAX, type Imports } from './imports-system.ts'

export const importRoutes = (
  services: Services,
  deps: { imports: Imports; eraser: Pick<Eraser, 'erase'> },
): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/org/import',
    summary: 'Import an organization from an export',
    description:
      'Takes the ZIP archive of GET /api/org/export, from this server or another. The caller becomes the owner ' +
      "and receives the data of the member with the same email address. Other members' private data, and what " +
      'requires keys, is left out or disabled: see `left_out`. The import is atomic. Only one import runs at a ' +
      'time.',
    access: 'session',
    query: Type.Object({
      name: Type.Optional(
        described(OrganizationName, 'Name of the new organization. Default: the name in the archive.'),
      ),
    }),
    upload: { description: 'The ZIP archive.', example: 'Fernhill Coffee.zip', bytesMax: ARCHIVE_BYTES_MAX },
    admitUpload: ({ caller }) => deps.imports.admit(caller.userId),
    effects: 'outside',
    reply: [201, ImportView],
    errors: [
      'import.damaged',
      'import.too_large',
      'import.incomplete',
      'import.invalid',
      'import.under_way',
      'import.daily_bytes',
      'org.name_taken',
      'server.unavailable',
    ],
    handler: ({ caller, query: { name }, file: { path } }) =>
      importOrganization(services, deps, caller, { path, name }),
  }),
]
