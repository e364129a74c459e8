/** What can be done with what (spec, Permission; contract, 3). */
export const RESOURCES = [
  'chats',
  'conversation',
  'agent',
  'tool',
  'kb',
  'mcp',
  'organization',
  'users',
  'roles',
] as const
export const ACTIONS = ['read', 'write', 'delete', 'admin', 'execute'] as const
export type Permission = `${(typeof RESOURCES)[number]}:${(typeof ACTIONS)[number]}`

/** Whether one of the held permissions covers the wanted one. `*` covers anything on its side, and only itself covers it. */
export function covers(held: readonly string[], required: string): boolean {
  return coverings(required).some((permission) => held.includes(permission))
}

/** The permissions that cover a wanted one, each by itself. */
export function coverings(required: string): string[] {
  const [resource, action] = required.split(':')
  return [`${resource}:${action}`, `${resource}:*`, `*:${action}`, '*:*']
}

/** Whether a permission is one that routes ask for or system roles hold. */
export function isBuiltIn(permission: string): boolean {
  const [resource = '', action = ''] = permission.split(':')
  return ['*', ...RESOURCES].includes(resource) && ['*', ...ACTIONS].includes(action)
}

/** The four roles that every organization is born with (spec, System roles). */
export const SYSTEM_ROLES: readonly SystemRole[] = [
  { name: 'owner', level: 100, description: 'full system access', permissions: ['*:*'] },
  {
    name: 'admin',
    level: 80,
    description: 'administrative capabilities',
    permissions: [
      // Everything but organization:delete, in the same words as the roles below have it, so that he can give those.
      ...RESOURCES.filter((resource) => resource !== 'organization').map((resource) => `${resource}:*`),
      ...ACTIONS.filter((action) => action !== 'delete').map((action) => `*:${action}`),
    ],
  },
  {
    name: 'member',
    level: 20,
    description: 'standard user access',
    permissions: [
      'chats:*',
      'conversation:*',
      'mcp:*',
      '*:read',
      'agent:execute',
      'tool:execute',
      'kb:write',
    ],
  },
  { name: 'guest', level: 10, description: 'limited access', permissions: ['*:read'] },
]

interface SystemRole {
  name: 'owner' | 'admin' | 'member' | 'guest'
  level: number
  description: string
  permissions: string[]
}
