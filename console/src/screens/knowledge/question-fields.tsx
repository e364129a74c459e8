import { Plus, Trash2 } from 'lucide-react'
import { api } from '../../api/client.ts'
import type { Reply } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CHOICES_PAGE, type ChoiceList, type ChoicePages } from '../../ui/choices.ts'
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
  const documents = documentsOf(base.id)
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
              lists={[documents]}
              chosen={chosen.map(choiceOf)}
              onChange={(picked) => change(place, { document_names: picked.map(({ name }) => name) })}
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
    </div>
  )
}

const choiceOf = (name: string) => ({ id: name, name })

/** Returns the list of the names of a knowledge base's documents. The API numbers the pages of documents. */
const documentsOf = (kb_id: string): ChoiceList => ({
  heading: undefined,
  pages(q) {
    const query = { kb_id, limit: CHOICES_PAGE, ...(q && { search: q }) }
    return {
      queryKey: ['GET /api/kb/list_documents', query, 'pages'],
      queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: number }) =>
        api.request('GET /api/kb/list_documents', { query: { ...query, page: pageParam }, signal }),
      initialPageParam: 1,
      getNextPageParam: ({ page, limit, total }: DocumentList) =>
        page * limit < total ? page + 1 : undefined,
      select: ({ pages }: { pages: DocumentList[] }) =>
        [...new Set(pages.flatMap(({ documents }) => documents.map(({ name }) => name)))].map(choiceOf),
    } as unknown as ChoicePages
  },
})

type DocumentList = Reply<'GET /api/kb/list_documents'>
