/** The resources and actions that form permissions. */
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

/**
 * Whether one of the held permissions covers the required one. `*` matches anything on its side. A required `*` is only
 * covered by a held `*`.
 */
export function covers(held: readonly string[], required: string): boolean {
  return coverings(required).some((permission) => held.includes(permission))
}

/** Returns all permissions that cover the required one on their own. */
export function coverings(required: string): string[] {
  const [resource, action] = required.split(':')
  return [`${resource}:${action}`, `${resource}:*`, `*:${action}`, '*:*']
}

/** Whether a permission is used by a route or a system role. */
export function isBuiltIn(permission: string): boolean {
  const [resource = '', action = ''] = permission.split(':')
  return ['*', ...RESOURCES].includes(resource) && ['*', ...ACTIONS].includes(action)
}

/** The four built-in roles of every organization. */
export const SYSTEM_ROLES: readonly SystemRole[] = [
  { name: 'owner', level: 100, description: 'full system access', permissions: ['*:*'] },
  {
    name: 'admin',
    level: 80,
    description: 'administrative capabilities',
    permissions: [
      // Everything except organization:delete. Spelled like the permissions of lower roles, so that admins can grant
      // those.
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
