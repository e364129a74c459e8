import { covers } from '../api/covers.ts'
import { translator } from '../messages/index.ts'

const t = translator('ui')

/**
 * The resources of the built-in permissions, such as `kb` in `kb:read`. Any of them can be combined with any of
 * `ACTIONS`.
 */
const RESOURCES = [
  '*',
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
const ACTIONS = ['read', 'write', 'delete', 'execute', 'admin', '*'] as const

/** Returns permissions in words, such as `Read: Everything. Write: Chats, Members`. */
export function permissionsInWords(names: readonly string[]): string {
  if (names.includes('*:*')) return t('permissions.allResources')
  const actions = withOthers(['*', 'read', 'write', 'delete', 'execute', 'admin'], names, 1)
  return actions
    .flatMap((action) => {
      const resources = withOthers(RESOURCES, names, 0).filter((one) => names.includes(`${one}:${action}`))
      return resources.length === 0
        ? []
        : t('permissions.inWords', {
            action: actionText(action),
            resources: resources.map(resourceText).join(', '),
          })
    })
    .join(' ')
}

interface PermissionMatrixProps {
  /** The names of all existing permissions, such as `kb:read`. Other combinations have no checkbox. */
  names: readonly string[]
  chosen: readonly string[]
  /** If omitted, the checkboxes are read-only. */
  onChange?: (chosen: string[]) => void
  /** Returns whether the current user may grant the permission. */
  isAllowed?: (name: string) => boolean
}

/**
 * A table of checkboxes with a row per resource and a column per action. A permission that another selected
 * permission includes is checked and disabled. A sentence above the table sums up the selected permissions.
 */
export function PermissionMatrix({ names, chosen, onChange, isAllowed = () => true }: PermissionMatrixProps) {
  const resources = withOthers(RESOURCES, names, 0).map((name) => [name, resourceText(name)] as const)
  const actions = withOthers(ACTIONS, names, 1).map((name) => [name, actionText(name)] as const)
  return (
    <>
      <p className="text-sm text-muted">{permissionsInWords(chosen)}</p>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas need keyboard access
        tabIndex={0}
        role="group"
        aria-label={t('permissions.title')}
        className="overflow-x-auto rounded-xl border border-line"
      >
        <table className="w-full border-separate border-spacing-0 text-sm">
          <thead>
            <tr className="text-muted *:border-b *:border-line">
              <th scope="col" className="sticky left-0 bg-raised px-3 py-2 text-left font-medium">
                {t('permissions.resource')}
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
                {actions.map(([action, actionName]) => (
                  <td key={action} className="px-2 py-1.5 text-center touch:p-0">
                    <Box
                      name={`${resource}:${action}`}
                      label={t('permissions.box', { resource: text, action: actionName })}
                      {...{ names, chosen, onChange, isAllowed }}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
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
  const reason = isCovered ? t('permissions.covered') : isForbidden ? t('permissions.notYours') : undefined
  return (
    <label className="inline-flex items-center justify-center align-middle touch:size-10">
      <input
        type="checkbox"
        aria-label={label}
        title={reason ?? name}
        checked={isChosen || isCovered}
        disabled={!onChange || isCovered || isForbidden}
        onChange={({ target }) =>
          onChange?.(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
        }
        className="size-4 accent-accent disabled:opacity-60"
      />
    </label>
  )
}

/** Returns whether a permission is built in. Built-in permissions cannot be deleted. */
export function isBuiltIn(name: string): boolean {
  const [resource, action] = name.split(':')
  return isOneOf(RESOURCES, resource) && isOneOf(ACTIONS, action)
}

const isOneOf = <Name extends string>(names: readonly Name[], name: string | undefined): name is Name =>
  names.some((one) => one === name)

function resourceText(name: string): string {
  if (name === '*') return t('permissions.allResources')
  return isOneOf(RESOURCES, name) && name !== '*' ? t(`permissions.resources.${name}`) : name
}

function actionText(name: string): string {
  if (name === '*') return t('permissions.allActions')
  return isOneOf(ACTIONS, name) && name !== '*' ? t(`permissions.actions.${name}`) : name
}

/** Returns the known resources or actions, followed by those of custom permissions. */
function withOthers(known: readonly string[], names: readonly string[], side: 0 | 1): string[] {
  const others = new Set(names.map((name) => name.split(':')[side] ?? ''))
  for (const name of known) others.delete(name)
  return [...known, ...[...others].sort()]
}
