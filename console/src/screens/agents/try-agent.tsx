import type { Agent } from '@parley/client/schemas'
import { RotateCcw } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Composer } from '../../ui/composer.tsx'
import { TrialTurn } from './trial-turn.tsx'
import { useTrial } from './use-trial.ts'

const t = translator('agents')

interface TryAgentProps {
  agent: Agent
  isUnsaved: boolean
}

/** A test chat with the saved version of the agent. */
export function TryAgent({ agent, isUnsaved }: TryAgentProps) {
  const { organization, may } = useHere()
  const trial = useTrial(agent, organization.id)
  const refusal = refusalOf(agent, may)
  return (
    <section
      aria-label={t('test.label', { name: agent.name })}
      className="flex h-[calc(100dvh-18rem)] min-h-96 xl:h-[calc(100dvh-8.5rem)] flex-col rounded-2xl border border-line bg-raised"
    >
      <header className="flex items-center justify-between gap-3 border-b border-line py-2 pr-2 pl-4">
        <h2 className="font-semibold">{t('test.title')}</h2>
        <Button
          kind="ghost"
          size="small"
          icon={RotateCcw}
          disabled={trial.turns.length === 0}
          onClick={trial.startOver}
        >
          {t('test.startOver')}
        </Button>
      </header>
      {isUnsaved && (
        <p role="status" className="bg-warning-soft px-4 py-2 text-sm text-warning">
          {t('test.unsaved')}
        </p>
      )}
      <div
        role="log"
        aria-label={t('test.messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it too
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
          {trial.isLost && <p className="text-sm text-muted">{t('test.reconnecting')}</p>}
        </div>
      </div>
      {refusal ? (
        <p className="border-t border-line px-4 py-3 text-sm text-muted">{refusal}</p>
      ) : (
        <Composer
          placeholder={t('test.placeholder')}
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
  if (!may('agent:execute') || !may('chats:write')) return t('test.notAllowed')
  return agent.is_active ? null : t('test.inactive')
}

const Hint = () => <p className="text-sm text-muted">{t('test.hint')}</p>
