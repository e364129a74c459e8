import type { McpServer } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Plug, Plus, RotateCw } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { CallLine } from '../../ui/call-line.tsx'
import { Failure } from '../../ui/states.tsx'
import { Mark } from '../connections/mark.tsx'
import { readActive } from './active-connections.ts'
import { Question } from './remembered.tsx'
import type { Turn } from './use-playground.ts'

const t = translator('playground')

interface TurnViewProps extends Pick<ProposalsProps, 'onConnect' | 'onUse'> {
  turn: Turn
  /** Sends the question again with the currently selected connections. Null if it cannot be sent now. */
  onAgain: (() => void) | null
}

export function TurnView({ turn, onAgain, ...proposing }: TurnViewProps) {
  const { question, reply, failure } = turn
  const { parts, serverIds, error, isOver } = reply
  return (
    <div className="flex flex-col gap-4">
      <Question text={question} />
      {parts.map((part, place) =>
        'call' in part ? (
          <CallLine key={part.call.id} call={part.call} isOver={isOver} />
        ) : (
          <ReplyText
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added
            key={place}
            text={part.text}
            streaming={!isOver && place === parts.length - 1}
          />
        ),
      )}
      {!isOver && parts.length === 0 && !failure && (
        <p role="status" className="shimmer text-sm text-muted">
          {t('turn.thinking')}
        </p>
      )}
      {serverIds.length > 0 && <Proposals ids={serverIds} {...proposing} />}
      {serverIds.length > 0 && onAgain && (
        <Button kind="primary" size="small" icon={RotateCw} className="self-start" onClick={onAgain}>
          {t('turn.retry')}
        </Button>
      )}
      {error !== null && <Failure error={new Error(error)} />}
      {failure && <Failure error={failure} />}
    </div>
  )
}

interface ProposalsProps {
  ids: readonly string[]
  onConnect: (server: McpServer) => void
  onUse: (instanceId: string) => void
}

function Proposals({ ids, onConnect, onUse }: ProposalsProps) {
  const { organization, may } = useHere()
  const servers = useQuery(read('GET /api/mcp/list_servers', { org_id: organization.id }))
  const instances = useQuery(readActive(organization.id))
  const found = ids.flatMap((id) => servers.data?.servers.find((server) => server.id === id) ?? [])
  // Servers that users cannot connect to follow those that they can.
  const proposed = found.toSorted((one, other) => Number(!one.auth_type) - Number(!other.auth_type))
  if (proposed.length === 0) return null
  return (
    <ul aria-label={t('turn.recommended')} className="grid gap-2 sm:grid-cols-2">
      {proposed.map((server) => {
        const { id, name, auth_type } = server
        const own = instances.data?.find((instance) => instance.mcp_server_id === id)
        return (
          <li
            key={id}
            className="flex items-center gap-3 rounded-xl border border-line bg-raised px-3 py-2.5"
          >
            <Mark name={name} />
            <span className="min-w-0 grow font-medium wrap-anywhere">
              {name}
              {auth_type === null && (
                <span className="block text-sm font-normal text-muted">{t('turn.notSetUp')}</span>
              )}
            </span>
            {own ? (
              <Button
                size="small"
                icon={Plus}
                aria-label={t('turn.useServer', { name })}
                onClick={() => onUse(own.id)}
              >
                {t('turn.use')}
              </Button>
            ) : (
              may('mcp:write') &&
              auth_type !== null && (
                <Button
                  size="small"
                  icon={Plug}
                  aria-label={t('turn.connectServer', { name })}
                  onClick={() => onConnect(server)}
                >
                  {t('turn.connect')}
                </Button>
              )
            )}
          </li>
        )
      })}
    </ul>
  )
}
