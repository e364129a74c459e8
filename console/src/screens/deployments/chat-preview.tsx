import type { Deployment, DeploymentConfig } from '@parley/client/schemas'
import { useEffect, useRef } from 'react'
import { translator } from '../../messages/index.ts'

const t = translator('deployments')

interface ChatPreviewProps {
  deployment: Deployment
  /** The settings to show, which may be unsaved. */
  config: DeploymentConfig
}

/** The chat as a new visitor sees it. Changed settings appear immediately. */
export function ChatPreview({ deployment: { id, name, status }, config }: ChatPreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const message = JSON.stringify({ parley: 'edited', name, config })
  const send = () => frame.current?.contentWindow?.postMessage(JSON.parse(message), location.origin)
  useEffect(send, [message])
  return (
    <section aria-labelledby="preview" className="flex min-w-0 flex-col gap-2 lg:sticky lg:top-6">
      <h2 id="preview" className="font-semibold">
        {t('preview.title')}
      </h2>
      {status === 'paused' ? (
        <p className="flex h-64 items-center justify-center rounded-2xl border border-dashed border-line px-6 text-center text-sm text-muted">
          {t('preview.paused')}
        </p>
      ) : (
        <iframe
          ref={frame}
          title={t('preview.frame')}
          src={`/embed/${id}?preview`}
          allow="clipboard-write"
          onLoad={send}
          className="h-[min(36rem,60dvh)] w-full rounded-2xl border border-line"
        />
      )}
      <p className="text-sm text-muted">{t('preview.note')}</p>
    </section>
  )
}
