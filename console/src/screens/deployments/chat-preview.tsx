import type { Deployment } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'

const t = translator('deployments')

/** The chat as visitors see it, with the saved settings. */
export function ChatPreview({ deployment: { id, status, updated_at } }: { deployment: Deployment }) {
  return (
    <section aria-labelledby="preview" className="flex min-w-0 flex-col gap-2">
      <h2 id="preview" className="font-semibold">
        {t('preview.title')}
      </h2>
      {status === 'paused' ? (
        <p className="flex h-64 items-center justify-center rounded-2xl border border-dashed border-line px-6 text-center text-sm text-muted">
          {t('preview.paused')}
        </p>
      ) : (
        <iframe
          key={updated_at}
          title={t('preview.frame')}
          src={`/embed/${id}`}
          allow="clipboard-write"
          className="h-[min(36rem,60dvh)] w-full rounded-2xl border border-line"
        />
      )}
      <p className="text-sm text-muted">{t('preview.note')}</p>
    </section>
  )
}
