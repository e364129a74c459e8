import type { McpServer } from '@parley/client/schemas'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Eraser } from 'lucide-react'
import { useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Composer } from '../../ui/composer.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useTitle } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { ConnectDialog } from '../connections/connect-dialog.tsx'
import { Remembered } from './remembered.tsx'
import { Setup } from './setup.tsx'
import { TurnView } from './turn-view.tsx'
import { usePlayground } from './use-playground.ts'

/** A chat that uses one's connections, or that finds servers to connect. */
export function Playground() {
  const { organization } = useHere()
  // Another organization has another memory.
  return <OpenPlayground key={organization.id} />
}

/** What was said before this visit; what is said now is added here, and not asked for. */
const readMemory = (org_id: string) =>
  queryOptions({
    ...read('GET /api/mcp_playground/memory', { org_id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

function OpenPlayground() {
  useTitle('Playground')
  const { organization, may } = useHere()
  const { with: chosen = [], model } = useSearch({ from: '/app/playground' })
  const navigate = useNavigate()
  const memory = useQuery({ ...readMemory(organization.id), enabled: may('mcp:write') })
  const chat = usePlayground(organization.id)
  const [connecting, setConnecting] = useState<McpServer>()
  const earlier = memory.data ?? []
  const isEmpty = earlier.length === 0 && chat.turns.length === 0
  const use = (ids: readonly string[]) =>
    void navigate({
      to: '/playground',
      search: (search) => ({ ...search, with: ids.length > 0 ? [...ids] : undefined }),
      replace: true,
    })
  const add = (id: string) => use([...new Set([...chosen, id])])
  const ask = (question: string) => chat.ask({ question, instanceIds: chosen, model })
  return (
    <div className="mx-auto flex h-full w-full max-w-5xl flex-col">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-5 pb-3 sm:px-8">
        <h1 className="text-2xl font-semibold tracking-tight">Playground</h1>
        <ClearButton isEmpty={isEmpty} onCleared={chat.clear} />
        <Setup chosen={chosen} model={model} onChoose={use} />
      </header>
      <div
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        className="flex min-h-0 grow flex-col-reverse overflow-y-auto border-t border-line px-4 sm:px-8"
      >
        <div className="mb-auto flex flex-col gap-6 py-6">
          {memory.error && <Failure error={memory.error} onRetry={() => void memory.refetch()} />}
          {isEmpty && !memory.isFetching && <Welcome isDirect={chosen.length > 0} />}
          {earlier.length > 0 && <Remembered entries={earlier} />}
          {chat.turns.map((turn, place) => (
            <TurnView
              // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added
              key={place}
              turn={turn}
              onConnect={setConnecting}
              onUse={add}
              onAgain={chosen.length > 0 && !chat.isWriting ? () => ask(turn.question) : null}
            />
          ))}
        </div>
      </div>
      {may('mcp:write') ? (
        <Composer
          placeholder="What should be done?"
          isWriting={chat.isWriting}
          onSend={ask}
          onStop={chat.stop}
          className="px-4 py-3 sm:px-8"
        />
      ) : (
        <p className="border-t border-line px-8 py-4 text-sm text-muted">
          Your role can view connections but not use them. Ask for the permission mcp:write.
        </p>
      )}
      {connecting && (
        <ConnectDialog
          target={{ server: connecting }}
          onClose={() => setConnecting(undefined)}
          onConnected={add}
        />
      )}
    </div>
  )
}

const Welcome = ({ isDirect }: { isDirect: boolean }) => (
  <div className="flex max-w-xl flex-col gap-2 text-muted">
    <p className="font-medium text-ink">
      {isDirect ? 'Ask for something to be done' : 'Say what you want to do'}
    </p>
    <p>
      {isDirect
        ? 'The model has the tools of the connections above. You see each call with what it was given and what came back.'
        : 'The model looks through the catalogue and recommends servers to connect. With connections chosen above it uses their tools instead.'}
    </p>
    <p>Replies cost credits. What was said is remembered until nothing was said for 30 minutes.</p>
  </div>
)

function ClearButton({ isEmpty, onCleared }: { isEmpty: boolean; onCleared: () => void }) {
  const { organization, may } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const forget = useChange('DELETE /api/mcp_playground/memory', {
    outdates: ['GET /api/mcp_playground/memory'],
    onDone: onCleared,
  })
  const ask = async () => {
    const isSure = await confirm({
      title: 'Forget this conversation?',
      consequence: 'What was said here is gone, and the next message begins anew. Connections stay.',
      action: 'Forget it',
    })
    if (isSure) forget.mutate({ query: { org_id: organization.id } }, { onError: notify })
  }
  return (
    may('mcp:write') && (
      <Button
        kind="ghost"
        size="small"
        icon={Eraser}
        busy={forget.isPending}
        disabled={isEmpty}
        onClick={() => void ask()}
      >
        Forget
      </Button>
    )
  )
}
