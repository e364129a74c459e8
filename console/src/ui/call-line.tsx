import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { translator } from '../messages/index.ts'
import { Snippet } from './copy.tsx'
import { Fold } from './fold.tsx'

const t = translator('ui')

/** A tool call to show. If `output` and `error` are null, the call is still running or returned nothing. */
export interface ShownCall {
  name: string
  input: unknown
  output: unknown
  successful?: boolean | null
  error?: string | null
}

/** A tool call's name and state. Expands to show the arguments and the result. */
export function CallLine({
  call,
  isOver,
  open = false,
}: {
  call: ShownCall
  isOver: boolean
  open?: boolean
}) {
  const state = stateOf(call, isOver)
  const { icon, look } = STATES[state]
  return (
    <div role="group" aria-label={t('call.label', { name: call.name })}>
      <Fold
        icon={icon}
        iconLook={look}
        title={<code className="font-mono">{call.name}</code>}
        note={<span className={state === 'failed' ? 'text-danger' : 'text-muted'}>{t(`call.${state}`)}</span>}
        isOpenAtFirst={open}
      >
        <div className="flex flex-col gap-2">
          <p className="text-xs text-muted">{t('call.given')}</p>
          <Snippet label={t('call.arguments')} code={jsonOf(call.input)} />
          {state === 'done' && (
            <>
              <p className="text-xs text-muted">{t('call.answered')}</p>
              <Snippet label={t('call.answer')} code={jsonOf(call.output)} />
            </>
          )}
          {state === 'failed' && (
            <Snippet label={t('call.error')} code={call.error ?? t('call.unknownError')} />
          )}
        </div>
      </Fold>
    </div>
  )
}

const STATES = {
  running: { icon: LoaderCircle, look: 'animate-spin text-muted' },
  done: { icon: CircleCheck, look: 'text-success' },
  failed: { icon: CircleAlert, look: 'text-danger' },
  ended: { icon: CircleAlert, look: 'text-muted' },
}

function stateOf({ successful, output, error }: ShownCall, isOver: boolean): keyof typeof STATES {
  if (successful === false || error) return 'failed'
  if (successful === true || output !== null) return 'done'
  return isOver ? 'ended' : 'running'
}

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
