import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { Snippet } from './copy.tsx'

/** A call of a tool; `output` null and no error: it is running, or gave nothing. */
export interface ShownCall {
  name: string
  input: unknown
  output: unknown
  successful?: boolean | null
  error?: string | null
}

/** One call of a tool: its name and how it went; opened, what it was given and what it answered. */
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
  const { icon: Icon, look, word } = STATES[state]
  return (
    <details open={open} className="group rounded-xl border border-line">
      <summary className="flex items-center gap-2 rounded-xl px-3 py-2 text-sm">
        <Icon aria-hidden size={15} className={look} />
        <code className="min-w-0 grow truncate font-mono">{call.name}</code>
        <span className={state === 'failed' ? 'text-danger' : 'text-muted'}>{word}</span>
      </summary>
      <div className="flex flex-col gap-2 px-3 pb-3">
        <p className="text-xs text-muted">Given</p>
        <Snippet label="arguments" code={jsonOf(call.input)} />
        {state === 'done' && (
          <>
            <p className="text-xs text-muted">Answered</p>
            <Snippet label="answer" code={jsonOf(call.output)} />
          </>
        )}
        {call.error && <Snippet label="error" code={call.error} />}
      </div>
    </details>
  )
}

const STATES = {
  running: { icon: LoaderCircle, look: 'shrink-0 animate-spin text-muted', word: 'Running' },
  done: { icon: CircleCheck, look: 'shrink-0 text-success', word: 'Done' },
  failed: { icon: CircleAlert, look: 'shrink-0 text-danger', word: 'Failed' },
  ended: { icon: CircleAlert, look: 'shrink-0 text-muted', word: 'Not ended' },
}

function stateOf({ successful, output, error }: ShownCall, isOver: boolean): keyof typeof STATES {
  if (successful === false || error) return 'failed'
  if (successful === true || output !== null) return 'done'
  return isOver ? 'ended' : 'running'
}

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
