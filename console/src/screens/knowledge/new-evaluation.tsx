import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { parseQuestions } from './parse-questions.ts'
import { EMPTY_QUESTION, QuestionFields } from './question-fields.tsx'

const WAYS = [
  ['form', 'Write them here'],
  ['paste', 'Paste JSON or CSV'],
] as const

/** Asks for questions, one by one or as a text from elsewhere. */
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
      title="New evaluation"
      description="Its questions stay as they are: runs can be compared."
      action="Create"
      busy={create.isPending}
      disabled={'problem' in parsed || unanswered}
      error={create.error}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        placeholder="What customers ask"
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Tabs label="How to give the questions" tabs={WAYS} value={way} onChange={setWay} />
      {way === 'form' ? (
        <QuestionFields questions={written} onChange={setWritten} />
      ) : (
        <Pasted text={pasted} onChange={setPasted} />
      )}
    </FormDialog>
  )
}

const EXAMPLE = `When does the shop open?,Opening hours
Can I send things back?,Returns.pdf,Terms.pdf`

function Pasted({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const parsed = parseQuestions(text)
  const isEmpty = text.trim() === ''
  return (
    <>
      <TextAreaField
        label="Questions"
        hint={
          <>
            A line for each: the question, then the names of documents that answer it. Or JSON, as{' '}
            <code className="font-mono text-xs break-all">
              {'[{"question": "…", "document_names": ["…"]}]'}
            </code>
          </>
        }
        error={!isEmpty && 'problem' in parsed ? parsed.problem : null}
        rows={10}
        required
        spellCheck={false}
        placeholder={EXAMPLE}
        className="font-mono text-sm"
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <p role="status" className="text-sm text-muted">
        {'questions' in parsed && `${formatNumber(parsed.questions.length)} questions read`}
      </p>
    </>
  )
}
