import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { Snippet } from './copy.tsx'
import { Fold } from './fold.tsx'

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
  const { icon, look, word } = STATES[state]
  return (
    <div role="group" aria-label={`Call of ${call.name}`}>
      <Fold
        icon={icon}
        iconLook={look}
        title={<code className="font-mono">{call.name}</code>}
        note={<span className={state === 'failed' ? 'text-danger' : 'text-muted'}>{word}</span>}
        isOpenAtFirst={open}
      >
        <div className="flex flex-col gap-2">
          <p className="text-xs text-muted">Given</p>
          <Snippet label="arguments" code={jsonOf(call.input)} />
          {state === 'done' && (
            <>
              <p className="text-xs text-muted">Answered</p>
              <Snippet label="answer" code={jsonOf(call.output)} />
            </>
          )}
          {state === 'failed' && <Snippet label="error" code={call.error ?? 'The tool failed.'} />}
        </div>
      </Fold>
    </div>
  )
}

const STATES = {
  running: { icon: LoaderCircle, look: 'animate-spin text-muted', word: 'Running' },
  done: { icon: CircleCheck, look: 'text-success', word: 'Done' },
  failed: { icon: CircleAlert, look: 'text-danger', word: 'Failed' },
  ended: { icon: CircleAlert, look: 'text-muted', word: 'Not ended' },
}

function stateOf({ successful, output, error }: ShownCall, isOver: boolean): keyof typeof STATES {
  if (successful === false || error) return 'failed'
  if (successful === true || output !== null) return 'done'
  return isOver ? 'ended' : 'running'
}

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
