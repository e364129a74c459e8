import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Bot, Check, Cpu, type LucideIcon, MessageSquare, Plus, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ConnectPanel } from './connect-panel.tsx'
import { useNewestAgents, useNewestChats, useNewestKnowledgeBases } from './newest.ts'
import { type SampleKind, useSamples } from './use-samples.ts'

const t = translator('home')

interface Step {
  name: 'model' | 'chat' | SampleKind
  to: string
  icon: LucideIcon
  /** Undefined until the required data is loaded. */
  isDone: boolean | undefined
}

const KEY = 'parley.steps_hidden'

/**
 * The setup steps for a new organization. Hidden if the user has hidden them, or if all steps are done and no sample
 * is left to remove.
 */
export function FirstSteps() {
  const { organization } = useHere()
  const { steps } = useSteps()
  const samples = useSamples()
  const [isHidden, setHidden] = useState(() => hiddenIn().includes(organization.id))
  const left = steps.filter(({ isDone }) => isDone === false).length
  const hasSample = samples.idOf('document') !== undefined || samples.idOf('agent') !== undefined
  if (isHidden || steps.some(({ isDone }) => isDone === undefined)) return null
  if (left === 0 && !hasSample) return null
  const hide = () => {
    localStorage.setItem(KEY, JSON.stringify([...hiddenIn(), organization.id].slice(-HIDDEN_MAX)))
    setHidden(true)
  }
  const isModelNeeded = steps.some(({ name, isDone }) => name === 'model' && !isDone)
  return (
    <section aria-labelledby="first-steps" className="flex flex-col gap-3">
      <header className="flex items-center justify-between gap-3">
        <h2 id="first-steps" className="font-semibold">
          {t('steps.title')}{' '}
          <span className="ml-1 text-sm font-normal text-muted">
            {t('steps.progress', { done: steps.length - left, total: steps.length })}
          </span>
        </h2>
        <IconButton small icon={X} label={t('steps.hide')} onClick={hide} />
      </header>
      {isModelNeeded && <ConnectPanel />}
      <ol className="grid gap-3 sm:grid-cols-2 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
        {steps
          .filter(({ name }) => name !== 'model' || !isModelNeeded)
          .map((step) => (
            <StepCard key={step.name} step={step} samples={samples} />
          ))}
      </ol>
    </section>
  )
}

/** Returns the steps that the user may do, and whether their states are still loading. */
export function useSteps(): { steps: Step[]; isLoading: boolean } {
  const { organization, may } = useHere()
  const models = useQuery({
    ...read('GET /api/llm/list', { org_id: organization.id, limit: 100 }),
    enabled: may('organization:write'),
  })
  const [chats, bases, agents] = [useNewestChats(), useNewestKnowledgeBases(), useNewestAgents()]
  const steps: (Step & { permission: string })[] = [
    {
      name: 'model',
      to: '/models',
      icon: Cpu,
      permission: 'organization:write',
      isDone: models.data?.data.some(({ provider }) => provider !== 'demo'),
    },
    {
      name: 'chat',
      to: '/chats',
      icon: MessageSquare,
      permission: 'chats:write',
      isDone: chats.data && chats.data.data.length > 0,
    },
    {
      name: 'document',
      to: '/knowledge',
      icon: BookOpen,
      permission: 'kb:write',
      isDone: bases.data?.data.some(({ document_count }) => document_count > 0),
    },
    {
      name: 'agent',
      to: '/agents',
      icon: Bot,
      permission: 'agent:write',
      isDone: agents.data && agents.data.data.length > 0,
    },
  ]
  return {
    steps: steps.filter(({ permission }) => may(permission)),
    isLoading: [models, chats, bases, agents].some((query) => query.isLoading),
  }
}

interface StepCardProps {
  step: Step
  samples: ReturnType<typeof useSamples>
}

const StepCard = ({ step: { name, to, icon: Icon, isDone }, samples }: StepCardProps) => (
  <li className="flex flex-col rounded-2xl border border-line bg-raised">
    <Link to={to} className="flex grow gap-3 rounded-2xl p-4 hover:bg-hover lg:flex-col lg:gap-2">
      <span
        aria-hidden
        className={classNames(
          'flex size-8 shrink-0 items-center justify-center rounded-lg',
          isDone ? 'bg-success-soft text-success' : 'bg-accent-soft text-accent',
        )}
      >
        {isDone ? <Check size={18} /> : <Icon size={18} />}
      </span>
      <span className="flex min-w-0 flex-col gap-0.5">
        <span className="font-medium">
          {t(`steps.${name}.title`)}
          {isDone && <span className="sr-only"> {t('steps.doneMark')}</span>}
        </span>
        <span className="text-sm text-muted">{isDone ? t('steps.done') : t(`steps.${name}.reason`)}</span>
      </span>
    </Link>
    {(name === 'document' || name === 'agent') && (
      <SampleButton kind={name} samples={samples} isDone={isDone} />
    )}
  </li>
)

/** Adds or removes a sample. Not shown if the user has created a record of their own already. */
function SampleButton({
  kind,
  samples: { idOf, toggle, mayAddAgent },
  isDone,
}: {
  kind: SampleKind
  samples: ReturnType<typeof useSamples>
  isDone: boolean | undefined
}) {
  const isThere = idOf(kind) !== undefined
  if (!isThere && (isDone || (kind === 'agent' && !mayAddAgent))) return null
  return (
    <Button
      size="small"
      icon={isThere ? Trash2 : Plus}
      busy={toggle.isPending && toggle.variables === kind}
      disabled={toggle.isPending}
      onClick={() => toggle.mutate(kind)}
      className="mx-4 mb-4 self-start"
    >
      {t(isThere ? 'samples.remove' : 'samples.add')}
    </Button>
  )
}

const HIDDEN_MAX = 50

function hiddenIn(): string[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as string[]
  } catch {
    return []
  }
}
