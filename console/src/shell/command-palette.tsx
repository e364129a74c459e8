import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { MessageSquare, Plus } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useDeferredValue, useEffect, useState } from 'react'
import { read } from '../api/queries.ts'
import { translator } from '../messages/index.ts'
import { useHere } from './organization.tsx'
import { ADMIN_PLACE, PLACES } from './places.ts'

const t = translator('shell')

const OPEN = 'parley:palette'
/** The minimum length of a query that searches chats, in characters. */
const SEARCH_FROM = 2

export const openCommandPalette = (): void => {
  window.dispatchEvent(new Event(OPEN))
}

/** A dialog that finds pages by name and chats by text. Opens with Ctrl+K or Cmd+K. */
export function CommandPalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = () => setOpen(true)
    const press = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey
      )
        return
      event.preventDefault()
      setOpen((was) => !was)
    }
    window.addEventListener(OPEN, open)
    window.addEventListener('keydown', press)
    return () => {
      window.removeEventListener(OPEN, open)
      window.removeEventListener('keydown', press)
    }
  }, [])
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-backdrop" />
        <Dialog.Content
          aria-describedby={undefined}
          className="appear fixed top-[12vh] left-1/2 z-50 w-[calc(100%-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-2xl border border-line bg-raised shadow-xl"
        >
          <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
          <Palette onDone={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const ITEM =
  'flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm data-[selected=true]:bg-hover'

function Palette({ onDone }: { onDone: () => void }) {
  const { organization, user, may } = useHere()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const sought = useDeferredValue(text.trim())
  const found = useQuery({
    ...read('GET /api/chat/search', { org_id: organization.id, q: sought, limit: 8 }),
    enabled: sought.length >= SEARCH_FROM && may('chats:read'),
    placeholderData: (before) => before,
  })
  const go = (to: string) => {
    onDone()
    void navigate({ to })
  }
  const places = PLACES.flatMap((group) => group.places).filter(
    ({ permission }) => permission === undefined || may(permission),
  )
  return (
    <Command label={t('palette.title')} loop>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder={t('palette.search')}
        className="h-12 w-full border-b border-line bg-transparent px-4 outline-none"
      />
      <Command.List label={t('palette.results')} className="max-h-96 overflow-y-auto p-2">
        <Command.Empty className="px-3 py-8 text-center text-sm text-muted">
          {t('palette.noMatches')}
        </Command.Empty>
        {may('chats:write') && (
          <Command.Item className={ITEM} value={t('palette.newChat')} onSelect={() => go('/chats')}>
            <Plus aria-hidden size={16} /> {t('palette.newChat')}
          </Command.Item>
        )}
        {[...places, ...(user.is_system_admin ? [ADMIN_PLACE] : [])].map(({ to, name, icon: Icon }) => (
          <Command.Item key={to} className={ITEM} value={t(`places.${name}`)} onSelect={() => go(to)}>
            <Icon aria-hidden size={16} className="text-muted" /> {t(`places.${name}`)}
          </Command.Item>
        ))}
        {sought.length >= SEARCH_FROM &&
          found.data?.data.map((hit) => (
            <Command.Item
              key={hit.chat_id}
              forceMount
              className={ITEM}
              value={`chat ${hit.chat_id}`}
              onSelect={() => go(`/chats/${hit.chat_id}`)}
            >
              <MessageSquare aria-hidden size={16} className="shrink-0 text-muted" />
              <span className="min-w-0 truncate">{hit.title}</span>
            </Command.Item>
          ))}
      </Command.List>
    </Command>
  )
}
