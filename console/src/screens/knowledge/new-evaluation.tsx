import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { JSON_EXAMPLE, parseQuestions } from './parse-questions.ts'
import { EMPTY_QUESTION, QuestionFields } from './question-fields.tsx'

const t = translator('evaluations')

const WAYS = ['form', 'paste'] as const

/** Creates an evaluation. The user enters questions one by one, or pastes them as JSON or CSV. */
export function NewEvaluation({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { base } = useKnowledgeBase()
  const navigate = useNavigate()
  const [way, setWay] = useState<'form' | 'paste'>('form')
  const [name, setName] = useState('')
  const [written, setWritten] = useState([EMPTY_QUESTION])
  const [pasted, setPasted] = useState('')
  const create = useChange('POST /api/kb/evaluations/create', {
    outdates: ['GET /api/kb/evaluations/list'],
    onDone: ({ id }) =>
      void navigate({
        to: '/knowledge/$kbId/evaluations/$evaluationId',
        params: { kbId: base.id, evaluationId: id },
      }),
  })
  const parsed = way === 'paste' ? parseQuestions(pasted) : { questions: written }
  const unanswered = way === 'form' && written.some(({ document_names: names }) => names.length === 0)
  const submit = () => {
    if ('questions' in parsed && !unanswered)
      create.mutate({ query: { kb_id: base.id }, body: { name, questions: parsed.questions } })
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      wide
      title={t('create.title')}
      description={t('create.description')}
      action={t('create.title')}
      busy={create.isPending}
      disabled={'problem' in parsed || unanswered}
      error={create.error}
      onSubmit={submit}
    >
      <TextField
        label={t('create.name')}
        placeholder={t('create.namePlaceholder')}
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Tabs
        label={t('create.input.label')}
        tabs={WAYS.map((name) => [name, t(`create.input.${name}`)] as const)}
        value={way}
        onChange={setWay}
      />
      {way === 'form' ? (
        <QuestionFields questions={written} onChange={setWritten} />
      ) : (
        <Pasted text={pasted} onChange={setPasted} />
      )}
    </FormDialog>
  )
}

function Pasted({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const parsed = parseQuestions(text)
  const isEmpty = text.trim() === ''
  return (
    <>
      <TextAreaField
        label={t('create.questions')}
        hint={t.rich('create.hint', {
          example: JSON_EXAMPLE,
          sample: (text) => <code className="font-mono text-xs break-all">{text}</code>,
        })}
        error={!isEmpty && 'problem' in parsed ? parsed.problem : null}
        rows={10}
        required
        spellCheck={false}
        placeholder={t('create.sample')}
        className="font-mono text-sm"
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <p role="status" className="text-sm text-muted">
        {'questions' in parsed && t('questions', { count: parsed.questions.length })}
      </p>
    </>
  )
}
