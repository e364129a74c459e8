import { covers } from '../api/covers.ts'

const RESOURCES = [
  ['*', 'Everything'],
  ['chats', 'Chats'],
  ['conversation', 'Conversations'],
  ['agent', 'Agents and deployments'],
  ['tool', 'Tools'],
  ['kb', 'Knowledge bases'],
  ['mcp', 'Connections (MCP)'],
  ['organization', 'Organization'],
  ['users', 'Members'],
  ['roles', 'Roles'],
] as const
const ACTIONS = [
  ['read', 'Read'],
  ['write', 'Write'],
  ['delete', 'Delete'],
  ['execute', 'Run'],
  ['admin', 'Administer'],
  ['*', 'All'],
] as const

interface PermissionMatrixProps {
  /** Names of all permissions that there are, as `kb:read`; others have no box. */
  names: readonly string[]
  chosen: readonly string[]
  /** Without it the boxes only show. */
  onChange?: (chosen: string[]) => void
  /** Whether it is the viewer's to give. */
  isAllowed?: (name: string) => boolean
}

/** Permissions as a table of boxes: what can be done with what. What another one covers is ticked and can't be taken. */
export function PermissionMatrix({ names, chosen, onChange, isAllowed = () => true }: PermissionMatrixProps) {
  const resources = withOthers(RESOURCES, names, 0)
  const actions = withOthers(ACTIONS, names, 1)
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      role="group"
      aria-label="Permissions"
      className="overflow-x-auto rounded-xl border border-line"
    >
      <table className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr className="text-muted *:border-b *:border-line">
            <th scope="col" className="sticky left-0 bg-raised px-3 py-2 text-left font-medium">
              What
            </th>
            {actions.map(([action, text]) => (
              <th key={action} scope="col" className="px-2 py-2 text-center font-medium">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.map(([resource, text]) => (
            <tr key={resource} className="*:border-b *:border-line last:*:border-b-0">
              <th scope="row" className="sticky left-0 bg-raised px-3 py-1.5 text-left font-normal">
                {text}
              </th>
              {actions.map(([action, what]) => (
                <td key={action} className="px-2 py-1.5 text-center">
                  <Box
                    name={`${resource}:${action}`}
                    label={`${text}: ${what.toLowerCase()}`}
                    {...{ names, chosen, onChange, isAllowed }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface BoxProps extends Required<Pick<PermissionMatrixProps, 'names' | 'chosen' | 'isAllowed'>> {
  name: string
  label: string
  onChange: PermissionMatrixProps['onChange']
}

function Box({ name, label, names, chosen, onChange, isAllowed }: BoxProps) {
  const isChosen = chosen.includes(name)
  const isCovered = !isChosen && covers(chosen, name)
  if (!names.includes(name) && !isChosen)
    return (
      <span aria-hidden className="text-muted">
        –
      </span>
    )
  const isForbidden = !isChosen && !isAllowed(name)
  const reason = isCovered
    ? 'Another permission covers it'
    : isForbidden
      ? 'You do not hold it yourself'
      : undefined
  return (
    <input
      type="checkbox"
      aria-label={label}
      title={reason ?? name}
      checked={isChosen || isCovered}
      disabled={!onChange || isCovered || isForbidden}
      onChange={({ target }) =>
        onChange?.(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
      }
      className="size-4 align-middle accent-accent disabled:opacity-60"
    />
  )
}

/** Whether it is one of those that Parley itself asks for, and that stay. */
export function isBuiltIn(name: string): boolean {
  const [resource, action] = name.split(':')
  return RESOURCES.some(([word]) => word === resource) && ACTIONS.some(([word]) => word === action)
}

/** The known words first, then those that an administrator has added. */
function withOthers(
  known: readonly (readonly [string, string])[],
  names: readonly string[],
  side: 0 | 1,
): (readonly [string, string])[] {
  const others = new Set(names.map((name) => name.split(':')[side] ?? ''))
  for (const [word] of known) others.delete(word)
  return [...known, ...[...others].sort().map((word) => [word, word] as const)]
}
