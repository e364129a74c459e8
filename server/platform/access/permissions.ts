/** The resources and actions of built-in permissions. A permission is `resource:action`. */
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
 * Returns whether one of the held permissions covers the required permission. A held `*` covers any resource or
 * action. A required `*` is covered only by a held `*`.
 */
export function covers(held: readonly string[], required: string): boolean {
  return coverings(required).some((permission) => held.includes(permission))
}

/** Returns every permission that covers the required one: the permission itself and its wildcard forms. */
export function coverings(required: string): string[] {
  const [resource, action] = required.split(':')
  return [`${resource}:${action}`, `${resource}:*`, `*:${action}`, '*:*']
}

/**
 * Returns whether the resource and the action are each built in or `*`. Routes and system roles use no other
 * permissions.
 */
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
      // Everything except organization:delete. Includes the wildcard permissions of lower roles, such as `*:read`,
      // because admins can grant only permissions that they hold.
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
