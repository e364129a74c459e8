import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Bot, Check, Cpu, type LucideIcon, MessageSquare, X } from 'lucide-react'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useNewestAgents, useNewestChats, useNewestKnowledgeBases } from './newest.ts'

interface Step {
  title: string
  /** What it is good for. */
  reason: string
  to: string
  icon: LucideIcon
  /** Undefined: it is not known yet. */
  isDone: boolean | undefined
}

const KEY = 'parley.steps_hidden'

/** What a new organization needs, as far as it is not there. Who hides it, or has it all, sees it no more. */
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
          First steps{' '}
          <span className="ml-1 text-sm font-normal text-muted">
            {steps.length - left} of {steps.length} done
          </span>
        </h2>
        <IconButton small icon={X} label="Hide the first steps" onClick={hide} />
      </header>
      <ol className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map((step) => (
          <StepCard key={step.title} step={step} />
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
      title: 'Add a language model',
      reason: 'Until then the built-in demo answers. It only shows how things work.',
      to: '/models',
      icon: Cpu,
      permission: 'organization:write',
      isDone: models.data?.data.some(({ provider }) => provider !== 'demo'),
    },
    {
      title: 'Ask something',
      reason: 'A chat with a model, to see what it can do.',
      to: '/chats',
      icon: MessageSquare,
      permission: 'chats:write',
      isDone: chats.data && chats.data.data.length > 0,
    },
    {
      title: 'Add a document',
      reason: 'Replies then draw on what you know, and say where it stands.',
      to: '/knowledge',
      icon: BookOpen,
      permission: 'kb:write',
      isDone: bases.data?.data.some(({ document_count }) => document_count > 0),
    },
    {
      title: 'Make an agent',
      reason: 'A model with a task of its own, knowledge and tools.',
      to: '/agents',
      icon: Bot,
      permission: 'agent:write',
      isDone: agents.data && agents.data.data.length > 0,
    },
  ]
  return steps.filter(({ permission }) => may(permission))
}

const StepCard = ({ step: { title, reason, to, icon: Icon, isDone } }: { step: Step }) => (
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
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </span>
        <span className="text-sm text-muted">{isDone ? 'Done' : reason}</span>
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
