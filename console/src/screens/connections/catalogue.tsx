import type { McpServer, McpServerList } from '@parley/client/schemas'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plug, Plus, SearchX, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Mark } from './mark.tsx'
import { ServerForm } from './server-form.tsx'

const t = translator('connections')

const PAGE_SIZE = 60

export function Catalogue({ servers }: { servers: UseQueryResult<McpServerList> }) {
  const { user } = useHere()
  const { q = '' } = useSearch({ from: '/app/connections' })
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const add = user.is_system_admin && (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      {t('server.add')}
    </Button>
  )
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="w-full max-w-sm">
          <TextField
            label={t('servers.search')}
            type="search"
            placeholder={t('servers.searchPlaceholder')}
            value={q}
            onChange={({ target }) =>
              void navigate({
                from: '/connections',
                to: '.',
                search: (search) => ({ ...search, q: target.value || undefined }),
                replace: true,
              })
            }
          />
        </div>
        {add}
      </div>
      <Loaded query={servers}>
        {({ servers: all }) =>
          all.length === 0 ? (
            <Empty icon={Plug} title={t('servers.emptyTitle')} action={add}>
              {t('servers.administratorHint')}
            </Empty>
          ) : (
            <Found servers={all.filter((server) => matches(server, q))} q={q} />
          )
        }
      </Loaded>
      {isAdding && <ServerForm onClose={() => setAdding(false)} />}
    </>
  )
}

/** Returns whether the server's name or description contains every word of the query. */
export function matches({ name, toolkit_name, description }: McpServer, q: string): boolean {
  const text = `${name} ${toolkit_name} ${description}`.toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function Found({ servers, q }: { servers: McpServer[]; q: string }) {
  const [shown, setShown] = useState(PAGE_SIZE)
  if (servers.length === 0)
    return (
      <Empty icon={SearchX} title={t('servers.noMatchTitle')}>
        {t('servers.noMatch', { query: q })}
      </Empty>
    )
  const usable = servers.filter(isSetUp)
  const others = servers.filter((server) => !isSetUp(server))
  return (
    <>
      {usable.length > 0 && (
        <ul aria-label={t('servers.label')} className={GRID}>
          {usable.slice(0, shown).map((server) => (
            <ServerCard key={server.id} server={server} heading="h2" />
          ))}
        </ul>
      )}
      {shown > usable.length && <NotSetUp servers={others.slice(0, shown - usable.length)} />}
      {servers.length > shown && (
        <div className="flex justify-center">
          <Button size="small" onClick={() => setShown(shown + PAGE_SIZE)}>
            {t('servers.showMore', { count: servers.length })}
          </Button>
        </div>
      )}
    </>
  )
}

const GRID = 'grid gap-3 sm:grid-cols-2 xl:grid-cols-3'

/** Returns whether users can connect to a server. Others need settings that only system administrators can enter. */
const isSetUp = ({ auth_type }: McpServer): boolean => auth_type !== null

function NotSetUp({ servers }: { servers: McpServer[] }) {
  const { user } = useHere()
  if (servers.length === 0) return null
  return (
    <section aria-labelledby="not-set-up" className="mt-4 flex flex-col gap-3">
      <header>
        <h2 id="not-set-up" className="font-semibold">
          {t('auth.notSetUp')}
        </h2>
        <p className="text-sm text-muted">
          {user.is_system_admin ? t('servers.setUpHint') : t('servers.setUpByOthers')}
        </p>
      </header>
      <ul aria-labelledby="not-set-up" className={GRID}>
        {servers.map((server) => (
          <ServerCard key={server.id} server={server} heading="h3" />
        ))}
      </ul>
    </section>
  )
}

function ServerCard({ server, heading: Heading }: { server: McpServer; heading: 'h2' | 'h3' }) {
  const { user, may } = useHere()
  const { id, name, description, auth_type, is_connected } = server
  return (
    <li className="flex flex-col gap-3 rounded-2xl border border-line bg-raised p-4">
      <div className="flex items-center gap-3">
        <Mark name={name} />
        <div className="flex min-w-0 grow flex-col">
          <Heading className="font-medium wrap-anywhere">
            <Link
              from="/connections"
              to="."
              search={(search) => ({ ...search, server_id: id })}
              className="reach hover:text-accent hover:underline"
            >
              {name}
            </Link>
          </Heading>
          {auth_type !== null && <p className="text-sm text-muted">{t(`auth.${auth_type}`)}</p>}
        </div>
        {is_connected && <Badge tone="success">{t('servers.connected')}</Badge>}
      </div>
      <div className="grow">
        <p className="line-clamp-3 text-sm wrap-anywhere text-muted">{description}</p>
      </div>
      {auth_type === null && user.is_system_admin && <SetUpButton server={server} />}
      {may('mcp:write') && auth_type !== null && (
        <Link
          from="/connections"
          to="."
          search={(search) => ({ ...search, connect: id })}
          aria-label={
            is_connected ? t('servers.connectAnotherAt', { name }) : t('servers.connectName', { name })
          }
          className={`${buttonLook(is_connected ? 'ghost' : 'secondary', 'small')} self-start`}
        >
          {is_connected ? t('servers.connectAnother') : t('servers.connect')}
        </Link>
      )}
    </li>
  )
}

function SetUpButton({ server: { id, name } }: { server: McpServer }) {
  const [isEditing, setEditing] = useState(false)
  return (
    <>
      <Button
        size="small"
        icon={Settings2}
        aria-label={t('servers.setUpName', { name })}
        className="self-start"
        onClick={() => setEditing(true)}
      >
        {t('servers.setUp')}
      </Button>
      {isEditing && <ServerForm serverId={id} onClose={() => setEditing(false)} />}
    </>
  )
}
