import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Bot, Check, Cpu, type LucideIcon, MessageSquare, X } from 'lucide-react'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useNewestAgents, useNewestChats, useNewestKnowledgeBases } from './newest.ts'

const t = translator('home')

interface Step {
  name: 'model' | 'chat' | 'document' | 'agent'
  to: string
  icon: LucideIcon
  /** Undefined until the required data is loaded. */
  isDone: boolean | undefined
}

const KEY = 'parley.steps_hidden'

/** The setup steps for a new organization. Hidden if all steps are done or the user has hidden them. */
export function FirstSteps() {
  const { organization } = useHere()
  const steps = useSteps()
  const [isHidden, setHidden] = useState(() => hiddenIn().includes(organization.id))
  const left = steps.filter(({ isDone }) => isDone === false).length
  if (isHidden || left === 0 || steps.some(({ isDone }) => isDone === undefined)) return null
  const hide = () => {
    localStorage.setItem(KEY, JSON.stringify([...hiddenIn(), organization.id].slice(-HIDDEN_MAX)))
    setHidden(true)
  }
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
      <ol className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map((step) => (
          <StepCard key={step.name} step={step} />
        ))}
      </ol>
    </section>
  )
}

function useSteps(): Step[] {
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
  return steps.filter(({ permission }) => may(permission))
}

const StepCard = ({ step: { name, to, icon: Icon, isDone } }: { step: Step }) => (
  <li>
    <Link
      to={to}
      className="flex h-full gap-3 rounded-2xl border border-line bg-raised p-4 hover:bg-hover lg:flex-col lg:gap-2"
    >
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
  </li>
)

const HIDDEN_MAX = 50

function hiddenIn(): string[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as string[]
  } catch {
    return []
  }
}
