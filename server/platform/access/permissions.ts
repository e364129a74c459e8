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

/**
 * Whether the held permissions cover the wanted one. A held `*` stands for anything on its side of the colon; a wanted
 * one is covered where everything that it stands for is.
 */
export function covers(held: readonly string[], wanted: string): boolean {
  const [resource = '', action = ''] = wanted.split(':')
  const isHeld = held.some((permission) => {
    const [heldResource, heldAction] = permission.split(':')
    return (
      (heldResource === '*' || heldResource === resource) && (heldAction === '*' || heldAction === action)
    )
  })
  if (isHeld || !wanted.includes('*')) return isHeld
  const resources = resource === '*' ? RESOURCES : [resource]
  const actions = action === '*' ? ACTIONS : [action]
  return resources.every((one) => actions.every((other) => covers(held, `${one}:${other}`)))
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
      ...RESOURCES.filter((resource) => resource !== 'organization').map((resource) => `${resource}:*`),
      'organization:read',
      'organization:write',
      'organization:admin',
      'organization:execute',
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
