import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { described } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { OrganizationName } from '../org/index.ts'
import type { Eraser } from './eraser-system.ts'
import { importOrganization } from './import-organization-system.ts'
import { ImportView } from './import-schemas.ts'
import { ARCHIVE_BYTES_MAX, type Imports } from './imports-system.ts'

/** Bringing data in: a new organization of what another one has taken away (docs/export.md). */
export const importRoutes = (
  services: Services,
  deps: { imports: Imports; eraser: Pick<Eraser, 'erase'> },
): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/org/import',
    summary: 'Make a new organization of an export',
    description:
      "Of the zip of GET /api/org/export, of this server or another one. The caller becomes its owner, and has what was the member's " +
      'with his email address; what others had alone, and what needs keys, is left out or switched off, as left_out says. ' +
      'It is all or nothing. Without a name it is called as it was. One at a time.',
    access: 'session',
    query: Type.Object({
      name: Type.Optional(
        described(OrganizationName, 'Name of the new organization. Default: the name in the archive.'),
      ),
    }),
    upload: { description: 'The zip', bytesMax: ARCHIVE_BYTES_MAX },
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
