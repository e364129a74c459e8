import type { McpServer } from '@parley/client/schemas'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Eraser } from 'lucide-react'
import { useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
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
import { Welcome } from './welcome.tsx'

const t = translator('playground')

/**
 * A chat whose model calls tools of the selected connections. Without connections, it recommends servers to connect
 * to.
 */
export function Playground() {
  const { organization } = useHere()
  // The key resets the state when the organization changes, because each organization has its own history.
  return <OpenPlayground key={organization.id} />
}

/**
 * Returns the query options that read the messages of earlier visits. The query runs once per visit; the page adds
 * new messages itself.
 */
const readMemory = (org_id: string) =>
  queryOptions({
    ...read('GET /api/mcp_playground/memory', { org_id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

function OpenPlayground() {
  useTitle(t('title'))
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
        <h1 className="text-2xl font-semibold tracking-tight">{t('title')}</h1>
        <ClearButton isEmpty={isEmpty} onCleared={chat.clear} />
        <Setup chosen={chosen} model={model} onChoose={use} />
      </header>
      <div
        role="log"
        aria-label={t('messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it too
        tabIndex={0}
        className="flex min-h-0 grow flex-col-reverse overflow-y-auto border-t border-line px-4 sm:px-8"
      >
        <div className="mb-auto flex flex-col gap-6 py-6">
          {memory.error && <Failure error={memory.error} onRetry={() => void memory.refetch()} />}
          {isEmpty && !memory.isFetching && (
            <Welcome isDirect={chosen.length > 0} onAsk={may('mcp:write') ? ask : null} />
          )}
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
          placeholder={t('placeholder')}
          isWriting={chat.isWriting}
          onSend={ask}
          onStop={chat.stop}
          className="px-4 py-3 sm:px-8"
        />
      ) : (
        <p className="border-t border-line px-8 py-4 text-sm text-muted">{t('notAllowed')}</p>
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
      title: t('clear.title'),
      consequence: t('clear.consequence'),
      action: t('clear.action'),
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
        {t('clear.action')}
      </Button>
    )
  )
}
