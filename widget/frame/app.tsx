import type { VNode } from 'preact'
import type { Look } from '../look.ts'
import { Composer, focusComposer } from './composer.tsx'
import type { Conversation, View } from './conversation.ts'
import { Header } from './header.tsx'
import type { Host } from './host.ts'
import { Log } from './log.tsx'
import { t } from './text.ts'

interface AppProps {
  look: Look
  view: View
  conversation: Conversation
  host: Host | null
}

export function App({ look, view, conversation, host }: AppProps): VNode {
  const { phase, entries, isReplying, trouble, canTryAgain } = view
  const title = look.companyName ?? look.name
  const send = (text: string): void => void conversation.send(text)
  const startOver = (): void => {
    conversation.startOver()
    focusComposer()
  }
  const tryAgain = (): void => {
    conversation.tryAgain()
    focusComposer()
  }
  const proceed = (): void => {
    send(t('continue'))
    focusComposer()
  }
  return (
    <>
      <Header
        title={title}
        logoUrl={look.logoUrl}
        onStartOver={entries.length > 0 && phase === 'open' ? startOver : null}
        onClose={host?.close ?? null}
      />
      <main>
        <Log
          author={title}
          welcome={look.welcomeMessage}
          starters={phase === 'open' && entries.length === 0 ? startersOf(look) : []}
          onSend={send}
          entries={entries}
          onTryAgain={canTryAgain ? tryAgain : null}
          onContinue={phase === 'open' && !isReplying ? proceed : null}
        />
        {trouble !== null && (
          <p class="trouble" role="alert">
            {trouble}{' '}
            {phase === 'starting' && canTryAgain && (
              <button type="button" class="link" onClick={tryAgain}>
                {t('retry')}
              </button>
            )}
          </p>
        )}
        <Composer
          isStarting={phase === 'starting'}
          isClosed={phase === 'closed'}
          canSend={phase === 'open' && !isReplying}
          onSend={send}
          onStop={isReplying ? () => conversation.stop() : null}
        />
      </main>
    </>
  )
}

const startersOf = ({ starterQuestions }: Look): readonly string[] =>
  starterQuestions ?? [t('starterAbilities'), t('starterStart')]
