import type { McpServer, McpServerList } from '@parley/client/schemas'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plug, Plus, SearchX } from 'lucide-react'
import { useState } from 'react'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { WAYS } from './connection-words.ts'
import { Mark } from './mark.tsx'
import { ServerForm } from './server-form.tsx'

const SHOWN_AT_ONCE = 60

/** The servers that people of this installation can connect to. */
export function Catalogue({ servers }: { servers: UseQueryResult<McpServerList> }) {
  const { user } = useHere()
  const { q = '' } = useSearch({ from: '/app/connections' })
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const add = user.is_system_admin && (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      Add a server
    </Button>
  )
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="w-full max-w-sm">
          <TextField
            label="Find a server"
            type="search"
            placeholder="A name, or what it is for"
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
            <Empty icon={Plug} title="The catalogue is empty" action={add}>
              The administrator of this installation adds servers to it.
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

/** All words are in the name or the description. */
export function matches({ name, toolkit_name, description }: McpServer, q: string): boolean {
  const text = `${name} ${toolkit_name} ${description}`.toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function Found({ servers, q }: { servers: McpServer[]; q: string }) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  if (servers.length === 0)
    return (
      <Empty icon={SearchX} title="No such server">
        Nothing in the catalogue has “{q}” in its name or description. The administrator of this installation
        can add servers.
      </Empty>
    )
  return (
    <>
      <ul aria-label="Servers" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {servers.slice(0, shown).map((server) => (
          <ServerCard key={server.id} server={server} />
        ))}
      </ul>
      {servers.length > shown && (
        <div className="flex justify-center">
          <Button size="small" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            Show more of {formatNumber(servers.length)}
          </Button>
        </div>
      )}
    </>
  )
}

function ServerCard({ server }: { server: McpServer }) {
  const { may } = useHere()
  const { id, name, description, auth_type, is_connected } = server
  return (
    <li className="flex flex-col gap-3 rounded-2xl border border-line bg-raised p-4">
      <div className="flex items-center gap-3">
        <Mark name={name} />
        <div className="flex min-w-0 grow flex-col">
          <h2 className="font-medium wrap-anywhere">
            <Link
              from="/connections"
              to="."
              search={(search) => ({ ...search, server_id: id })}
              className="hover:text-accent hover:underline"
            >
              {name}
            </Link>
          </h2>
          <p className="text-sm text-muted">{auth_type ? WAYS[auth_type] : 'Not set up yet'}</p>
        </div>
        {is_connected && <Badge tone="success">Connected</Badge>}
      </div>
      <div className="grow">
        <p className="line-clamp-3 text-sm wrap-anywhere text-muted">{description}</p>
      </div>
      {may('mcp:write') && auth_type !== null && (
        <Link
          from="/connections"
          to="."
          search={(search) => ({ ...search, connect: id })}
          aria-label={`${is_connected ? 'Connect another account at' : 'Connect'} ${name}`}
          className={`${buttonLook(is_connected ? 'ghost' : 'secondary', 'small')} self-start`}
        >
          {is_connected ? 'Connect another account' : 'Connect'}
        </Link>
      )}
    </li>
  )
}
