import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { QUESTIONS_MAX } from './parse-questions.ts'

const t = translator('evaluations')

export interface WrittenQuestion {
  question: string
  document_names: string[]
}

export const EMPTY_QUESTION: WrittenQuestion = { question: '', document_names: [] }

/** Maximum number of documents in the picker: one page of the API. */
const DOCUMENTS_MAX = 100

interface QuestionFieldsProps {
  questions: WrittenQuestion[]
  onChange: (questions: WrittenQuestion[]) => void
}

/**
 * Fields for questions and the documents that answer them. Documents are referenced by name, because a name stays the
 * same when a source is refreshed.
 */
export function QuestionFields({ questions, onChange }: QuestionFieldsProps) {
  const { base } = useKnowledgeBase()
  const documents = useQuery(read('GET /api/kb/list_documents', { kb_id: base.id, limit: DOCUMENTS_MAX }))
  const names = [...new Set(documents.data?.documents.map(({ name }) => name))]
  const change = (at: number, to: Partial<WrittenQuestion>) =>
    onChange(questions.map((one, place) => (place === at ? { ...one, ...to } : one)))
  return (
    <div className="flex flex-col gap-3">
      <ol className="flex flex-col gap-3">
        {questions.map(({ question, document_names: chosen }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: questions have no id
          <li key={place} className="flex flex-col gap-3 rounded-xl border border-line p-3">
            <div className="flex items-end gap-2">
              <div className="grow">
                <TextField
                  label={t('fields.question', { number: place + 1 })}
                  required
                  maxLength={2000}
                  value={question}
                  onChange={({ target }) => change(place, { question: target.value })}
                />
              </div>
              <IconButton
                icon={Trash2}
                label={t('fields.remove', { number: place + 1 })}
                disabled={questions.length === 1}
                onClick={() => onChange(questions.filter((_, other) => other !== place))}
              />
            </div>
            <Picker
              label={t('fields.documents', { number: place + 1 })}
              several
              choices={names.map((name) => ({ id: name, name }))}
              chosen={chosen}
              onChange={(picked) => change(place, { document_names: picked })}
              empty={t('fields.noMatch')}
            >
              {chosen.length === 0 ? t('fields.choose') : chosen.join(', ')}
            </Picker>
          </li>
        ))}
      </ol>
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        disabled={questions.length >= QUESTIONS_MAX}
        onClick={() => onChange([...questions, EMPTY_QUESTION])}
      >
        {t('fields.add')}
      </Button>
      {documents.data && documents.data.total > DOCUMENTS_MAX && (
        <p className="text-sm text-muted">{t('fields.newest', { limit: DOCUMENTS_MAX })}</p>
      )}
    </div>
  )
}
