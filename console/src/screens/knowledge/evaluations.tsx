import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gauge, Plus } from 'lucide-react'
import { useState } from 'react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useHidden } from '../../ui/deletions.ts'
import { formatNumber } from '../../ui/format.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { NewEvaluation } from './new-evaluation.tsx'

const t = translator('evaluations')

/**
 * The list of a knowledge base's evaluations. An evaluation consists of questions and the documents that answer them.
 */
export function Evaluations() {
  const { may } = useHere()
  const { base } = useKnowledgeBase()
  const [isAdding, setAdding] = useState(false)
  const evaluations = useInfiniteQuery(readPages('GET /api/kb/evaluations/list', { kb_id: base.id }))
  const hidden = useHidden()
  const rows = evaluations.data?.filter(({ id }) => !hidden.has(id))
  const add = may('kb:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('create.title')}
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      {rows?.length !== 0 && <div className="flex justify-end empty:hidden">{add}</div>}
      <PagedList
        query={{ ...evaluations, data: rows }}
        skeleton={<TableSkeleton columns={3} />}
        empty={
          <Empty icon={Gauge} title={t('list.emptyTitle')} action={add}>
            {t('list.empty')}
          </Empty>
        }
      >
        {(shown) => (
          <Table
            label={t('list.label')}
            rows={shown}
            keyOf={({ id }) => id}
            columns={[
              {
                header: t('list.name'),
                cell: ({ id, name }) => (
                  <Link
                    to="/knowledge/$kbId/evaluations/$evaluationId"
                    params={{ kbId: base.id, evaluationId: id }}
                    className="font-medium wrap-anywhere text-accent hover:underline"
                  >
                    {name}
                  </Link>
                ),
              },
              {
                header: t('list.questions'),
                numeric: true,
                cell: ({ question_count }) => formatNumber(question_count),
              },
              {
                header: t('list.created'),
                wideOnly: true,
                cell: ({ created_at }) => <Ago time={created_at} />,
              },
            ]}
          />
        )}
      </PagedList>
      <NewEvaluation open={isAdding} onClose={() => setAdding(false)} />
    </div>
  )
}
