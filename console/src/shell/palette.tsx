import { Command } from 'cmdk'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { translator } from '../messages/index.ts'
import { Keys } from '../ui/keys.tsx'
import { type Entry, type EntryGroup, useEntries } from './palette-entries.ts'

const t = translator('shell')

/** A dialog that finds pages, actions, chats and records. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const query = text.trim()
  const groups = useEntries(query)
  const [choice, setChoice] = useState({ query, line: '' })
  // Enter opens the selected line. The first one is selected in the same render as it appears, because an effect or a
  // deferred list would let Enter after fast typing open a line of the text before, or none.
  const lines = groups.flatMap((group) => group.entries.map((entry) => lineId(group, entry)))
  const isChosen = choice.query === query && lines.includes(choice.line)
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-backdrop" />
        <Dialog.Content
          aria-describedby={undefined}
          className="appear fixed top-[12vh] left-1/2 z-50 w-[calc(100%-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-2xl border border-line bg-raised shadow-xl"
        >
          <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
          <Command
            label={t('palette.title')}
            loop
            shouldFilter={false}
            value={isChosen ? choice.line : (lines[0] ?? '')}
            onValueChange={(line) => setChoice({ query, line })}
          >
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder={t('palette.search')}
              className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
            />
            <Results groups={groups} onClose={onClose} />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Results({ groups, onClose }: { groups: EntryGroup[]; onClose: () => void }) {
  const shown = groups.filter(({ entries }) => entries.length > 0)
  return (
    <Command.List label={t('palette.results')} className="max-h-[min(26rem,60vh)] overflow-y-auto p-2">
      {shown.length === 0 && (
        <p role="status" className="px-3 py-8 text-center text-sm text-muted">
          {t(groups.length > 0 ? 'palette.searching' : 'palette.noMatches')}
        </p>
      )}
      {shown.map((group) => (
        <Group key={group.name} group={group} onClose={onClose} />
      ))}
    </Command.List>
  )
}

const lineId = ({ name }: EntryGroup, { id }: Entry): string => `${name} ${id}`

const Group = ({ group, onClose }: { group: EntryGroup; onClose: () => void }) => (
  <Command.Group
    heading={t(`palette.groups.${group.name}`)}
    className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
  >
    {group.entries.map((entry) => (
      <Line
        key={entry.id}
        value={lineId(group, entry)}
        entry={entry}
        onSelect={() => {
          onClose()
          entry.run()
        }}
      />
    ))}
  </Command.Group>
)

const Line = ({
  value,
  entry: { icon: Icon, name, note, keys },
  onSelect,
}: {
  value: string
  entry: Entry
  onSelect: () => void
}) => (
  <Command.Item
    value={value}
    onSelect={onSelect}
    className="flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm data-[selected=true]:bg-hover touch:min-h-10"
  >
    <Icon aria-hidden size={16} className="shrink-0 text-muted" />
    <span className="min-w-0 grow truncate">{name}</span>
    {note && <span className="min-w-0 shrink-[99] truncate text-xs text-muted">{note}</span>}
    {keys && <Keys keys={keys} />}
  </Command.Item>
)
