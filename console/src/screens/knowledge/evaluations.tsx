import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gauge, Plus } from 'lucide-react'
import { useState } from 'react'
import { readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { NewEvaluation } from './new-evaluation.tsx'

/** Questions with their right documents, to measure by whether a change finds more of them. */
export function Evaluations() {
  const { may } = useHere()
  const { base } = useKnowledgeBase()
  const [isAdding, setAdding] = useState(false)
  const evaluations = useInfiniteQuery(readPages('GET /api/kb/evaluations/list', { kb_id: base.id }))
  const add = may('kb:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      New evaluation
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      <Loaded query={evaluations}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={Gauge} title="No evaluations yet" action={add}>
              Write down what people ask, and which documents answer it. A run then measures how many of those
              are found, and whether another chunk size or model finds more.
            </Empty>
          ) : (
            <>
              {add && <div className="flex justify-end">{add}</div>}
              <Table
                label="Evaluations"
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  {
                    header: 'Name',
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
                    header: 'Questions',
                    numeric: true,
                    cell: ({ question_count }) => formatNumber(question_count),
                  },
                  { header: 'Made', wideOnly: true, cell: ({ created_at }) => <Ago time={created_at} /> },
                ]}
              />
              <More query={evaluations} />
            </>
          )
        }
      </Loaded>
      <NewEvaluation open={isAdding} onClose={() => setAdding(false)} />
    </div>
  )
}
