import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import type { ChatSearch } from './search-params.ts'

const t = translator('chat')

const TYPING_MS = 250
const ARCHIVE = ' archive'

/** Filters the list of chats by search words, by folder, or to archived chats. The URL stores the filter. */
export function ListFilters() {
  const { organization } = useHere()
  const { folder, archived, q } = useSearch({ from: '/app/chats' })
  const navigate = useNavigate()
  const show = (change: Partial<Record<keyof ChatSearch, unknown>>) =>
    void navigate({ to: '.', search: (now) => ({ ...now, ...change }) as never, replace: true })
  const folders = useQuery(read('GET /api/chat/list_folders', { org_id: organization.id }))
  return (
    <>
      <SearchBox q={q ?? ''} onSearch={(words) => show({ q: words === '' ? undefined : words })} />
      {q === undefined && (
        <select
          aria-label={t('filters.label')}
          value={archived ? ARCHIVE : (folder ?? '')}
          onChange={({ target: { value } }) =>
            show({
              archived: value === ARCHIVE ? true : undefined,
              folder: value === ARCHIVE || value === '' ? undefined : value,
            })
          }
          className="h-8 touch:h-10 w-full rounded-lg border border-line bg-raised px-2 text-sm"
        >
          <option value="">{t('filters.all')}</option>
          {folder !== undefined && !folders.data?.folders.some(({ name }) => name === folder) && (
            <option value={folder}>{folder}</option>
          )}
          {folders.data && folders.data.folders.length > 0 && (
            <optgroup label={t('filters.folders')}>
              {folders.data.folders.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          <option value={ARCHIVE}>{t('filters.archive')}</option>
        </select>
      )}
    </>
  )
}

function SearchBox({ q, onSearch }: { q: string; onSearch: (words: string) => void }) {
  const [words, setWords] = useState(q)
  const [known, setKnown] = useState(q)
  // The URL has changed, for example through a link or the Back button. Show its search words.
  if (q !== known) {
    setKnown(q)
    if (q !== words.trim()) setWords(q)
  }
  useEffect(() => {
    if (words.trim() === q) return
    const clock = setTimeout(() => onSearch(words.trim()), TYPING_MS)
    return () => clearTimeout(clock)
  })
  return (
    <search className="relative">
      <Search aria-hidden size={15} className="absolute top-2.5 left-2.5 text-muted touch:top-3.5" />
      <input
        type="text"
        inputMode="search"
        aria-label={t('filters.search')}
        placeholder={t('filters.search')}
        maxLength={200}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        className="h-9 touch:h-11 w-full rounded-lg border border-line bg-raised pr-8 pl-8 text-sm touch:pr-11"
      />
      {words !== '' && (
        <IconButton
          small
          icon={X}
          label={t('filters.clear')}
          onClick={() => {
            setWords('')
            onSearch('')
          }}
          className="absolute top-1 right-1 touch:top-0.5 touch:right-0.5"
        />
      )}
    </search>
  )
}
