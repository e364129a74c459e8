import { translator } from '../messages/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SwitchField } from '../ui/field.tsx'
import { Keys } from '../ui/keys.tsx'
import { useHere } from './organization.tsx'
import { mainPlaces } from './places.ts'
import { plainKeysOff } from './shortcuts.ts'

const t = translator('shell')

/** The list of all keyboard shortcuts. */
export default function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { may } = useHere()
  const isOff = plainKeysOff.useIsOn()
  const general = [
    ['mod+k', t('shortcuts.palette')],
    ...(may('chats:write') ? [['mod+shift+o', t('palette.newChat')] as const] : []),
    ['[', t('rail.toggle')],
    ['?', t('shortcuts.title')],
  ] as const
  const pages = mainPlaces(may).flatMap(({ key, name }) =>
    key === undefined ? [] : [[`g ${key}`, t(`places.${name}`)] as const],
  )
  return (
    <Dialog open onClose={onClose} title={t('shortcuts.title')}>
      <ShortcutList title={t('shortcuts.general')} shortcuts={general} />
      <ShortcutList title={t('shortcuts.pages')} shortcuts={pages} />
      <SwitchField
        label={t('shortcuts.plain')}
        hint={t('shortcuts.plainHint')}
        checked={!isOff}
        onChange={plainKeysOff.toggle}
      />
    </Dialog>
  )
}

const ShortcutList = ({
  title,
  shortcuts,
}: {
  title: string
  shortcuts: readonly (readonly [keys: string, name: string])[]
}) => (
  <section>
    <h3 className="pb-1 text-sm font-medium text-muted">{title}</h3>
    <dl>
      {shortcuts.map(([keys, name]) => (
        <div key={keys} className="flex items-center justify-between gap-4 py-1.5 text-sm">
          <dt>{name}</dt>
          <dd>
            <Keys keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  </section>
)
