import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { filterProblem } from './filter-problem.ts'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { TextModelField } from './models.tsx'

const t = translator('evaluations')

interface StartRunProps {
  evaluationId: string
  open: boolean
  onClose: () => void
}

/** Asks for the search options and starts a run. The run uses the current index of the knowledge base. */
export function StartRun({ evaluationId, open, onClose }: StartRunProps) {
  const { base } = useKnowledgeBase()
  const navigate = useNavigate()
  const [asked, setAsked] = useState({ limit: '10', least: '', filter: '', rerank: '' })
  const start = useChange('POST /api/kb/evaluations/run', {
    outdates: ['GET /api/kb/evaluations/list_runs'],
    onDone: ({ id }) => {
      onClose()
      void navigate({
        to: '.',
        search: (before) => ({ ...before, run: id, against: undefined, page: undefined }),
      })
    },
  })
  const problem = filterProblem(asked.filter)
  const field = (name: keyof typeof asked) => ({
    value: asked[name],
    onChange: ({ target }: { target: { value: string } }) => setAsked({ ...asked, [name]: target.value }),
  })
  const submit = () => {
    if (problem !== null) return
    const { limit, least, filter, rerank } = asked
    start.mutate({
      query: { kb_id: base.id, evaluation_id: evaluationId },
      body: {
        limit: Number(limit),
        ...(least !== '' && { score_threshold: Number(least) }),
        ...(filter.trim() !== '' && { filter: JSON.parse(filter) as Record<string, unknown> }),
        ...(rerank !== '' && { rerank }),
      },
    })
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={t('run.title')}
      description={t('run.description')}
      action={t('run.title')}
      busy={start.isPending}
      error={start.error}
      onSubmit={submit}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('run.limit')}
          hint={t('run.limitHint')}
          type="number"
          min={1}
          max={100}
          required
          {...field('limit')}
        />
        <TextField
          label={t('run.minimumScore')}
          hint={t('run.minimumScoreHint')}
          type="number"
          min={0}
          max={1}
          step="any"
          placeholder="0"
          {...field('least')}
        />
      </div>
      <TextField label={t('run.filter')} hint={t('run.filterHint')} error={problem} {...field('filter')} />
      <TextModelField
        label={t('run.reranker')}
        none={t('run.noReranker')}
        value={asked.rerank}
        onChange={(rerank) => setAsked({ ...asked, rerank })}
      />
    </FormDialog>
  )
}
