import { ArrowUpRight } from 'lucide-react'
import { translator } from '../../messages/index.ts'

const t = translator('playground')

interface WelcomeProps {
  /** Whether connections are selected, so that the model calls their tools. */
  isDirect: boolean
  /** Sends an example task. Null if the user cannot send messages. */
  onAsk: ((task: string) => void) | null
}

/** Says what the playground does, and offers tasks to begin with. */
export function Welcome({ isDirect, onAsk }: WelcomeProps) {
  const examples = isDirect
    ? [t('welcome.directExamples.first'), t('welcome.directExamples.second')]
    : [t('welcome.findExamples.first'), t('welcome.findExamples.second'), t('welcome.findExamples.third')]
  return (
    <div className="flex max-w-xl flex-col gap-3 text-muted">
      <h2 className="text-lg font-semibold text-ink">{t('welcome.title')}</h2>
      <p>{isDirect ? t('welcome.direct') : t('welcome.discovery')}</p>
      {onAsk && (
        <ul aria-label={t('welcome.examples')} className="flex flex-col items-start gap-2">
          {examples.map((task) => (
            <li key={task}>
              <button
                type="button"
                onClick={() => onAsk(task)}
                className="flex min-h-10 items-center gap-2.5 rounded-xl border border-line bg-raised px-3.5 py-2 text-left text-ink hover:bg-hover"
              >
                <ArrowUpRight aria-hidden size={16} className="shrink-0 text-accent" />
                {task}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm">{t('welcome.costs')}</p>
    </div>
  )
}
