import type { Agent } from '@parley/client/schemas'
import { RotateCcw } from 'lucide-react'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Composer } from '../../ui/composer.tsx'
import { TrialTurn } from './trial-turn.tsx'
import { useTrial } from './use-trial.ts'

interface TryAgentProps {
  agent: Agent
  isUnsaved: boolean
}

/** A chat with the agent as it is saved. */
export function TryAgent({ agent, isUnsaved }: TryAgentProps) {
  const { organization, may } = useHere()
  const trial = useTrial(agent, organization.id)
  const refusal = refusalOf(agent, may)
  return (
    <section
      aria-label={`Try ${agent.name}`}
      className="flex h-[calc(100dvh-18rem)] min-h-96 xl:h-[calc(100dvh-8.5rem)] flex-col rounded-2xl border border-line bg-raised"
    >
      <header className="flex items-center justify-between gap-3 border-b border-line py-2 pr-2 pl-4">
        <h2 className="font-semibold">Try it</h2>
        <Button
          kind="ghost"
          size="small"
          icon={RotateCcw}
          disabled={trial.turns.length === 0}
          onClick={trial.startOver}
        >
          Start over
        </Button>
      </header>
      {isUnsaved && (
        <p role="status" className="bg-warning-soft px-4 py-2 text-sm text-warning">
          It answers as it was last saved. Save to try your changes.
        </p>
      )}
      <div
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        className="flex min-h-0 grow flex-col-reverse overflow-y-auto px-4"
      >
        <div className="mb-auto flex flex-col gap-5 py-4">
          {trial.turns.length === 0 && <Hint />}
          {trial.turns.map((turn, place) => (
            <TrialTurn
              // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added
              key={place}
              turn={turn}
              text={turn.isWriting ? trial.text : turn.text}
            />
          ))}
          {trial.isLost && <p className="text-sm text-muted">Connection lost, trying again</p>}
        </div>
      </div>
      {refusal ? (
        <p className="border-t border-line px-4 py-3 text-sm text-muted">{refusal}</p>
      ) : (
        <Composer
          placeholder="Ask it something"
          isWriting={trial.isWriting}
          onSend={trial.send}
          onStop={trial.stop}
          className="p-3"
        />
      )}
    </section>
  )
}

function refusalOf(agent: Agent, may: (permission: string) => boolean): string | null {
  if (!may('agent:execute') || !may('chats:write')) return 'Your role may not talk to agents.'
  return agent.is_active ? null : 'Nobody can talk to it while it is not active. Switch it on and save.'
}

const Hint = () => (
  <p className="text-sm text-muted">
    Talk to the agent as it is saved. Its tools run, and replies cost credits, as they always do. This chat is
    deleted when you start over or leave.
  </p>
)
