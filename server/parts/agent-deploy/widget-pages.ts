import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { type ButtonLook, colorOf, lookOf, originOf } from '../../../widget/look.ts'
import type { PublicDeployment } from './public-deployments-system.ts'
import type { WidgetFiles } from './widget-files.ts'
import type { WidgetText } from './widget-text.ts'

/** Builds the loader script with a deployment's color, placement and messages. */
export const loaderScript = (
  { loader }: WidgetFiles,
  deployment: PublicDeployment,
  { t }: WidgetText,
): string => `(function(LOOK){${loader}})(${JSON.stringify(buttonLookOf(deployment, t))})`

/** Builds the chat page that the widget's frame shows. */
export const chatPage = (files: WidgetFiles, deployment: PublicDeployment, text: WidgetText): string => {
  const look = escapeHtml(JSON.stringify(lookOf(deployment.name, deployment.config)))
  return page(
    files,
    text,
    deployment.config.branding?.company_name || deployment.name,
    `<script defer src="/embed/assets/${files.frameScripts[text.language]}"></script>
</head>
<body>
<div id="chat" data-look="${look}"></div>
<noscript>${escapeHtml(text.t('noScript'))}</noscript>`,
  )
}

/** Builds a page that explains why the chat is unavailable, in the style of the chat. The page contains no script. */
export const noticePage = (files: WidgetFiles, text: WidgetText, reason: 'closed' | 'unknown'): string =>
  page(
    files,
    text,
    text.t(`${reason}Title`),
    `</head>
<body>
<div id="chat"><main class="notice"><h1>${escapeHtml(text.t(`${reason}Title`))}</h1><p>${escapeHtml(text.t(reason))}</p></main></div>`,
  )

/**
 * Returns the Content-Security-Policy of the widget's frame. The frame may load its own script and style, connect to
 * its own server, and show the logo. `allowed_origins` limits which pages may embed the frame; if empty, every page
 * may. The console may always embed it, because it has the same origin. Only the console may embed a preview, which
 * shows logos that are not saved yet.
 */
export function contentPolicy(
  config: DeploymentConfig | undefined,
  { isPreview }: { isPreview: boolean },
): string {
  const logo = isPreview ? 'https:' : originOf(config?.branding?.logo_url)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ["img-src 'self' data:", logo].filter(Boolean).join(' '),
    `frame-ancestors ${ancestorsOf(config, isPreview)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function ancestorsOf(config: DeploymentConfig | undefined, isPreview: boolean): string {
  const allowed = config?.allowed_origins ?? []
  if (isPreview) return "'self'"
  return allowed.length === 0
    ? '*'
    : ["'self'", ...allowed.map(originOf).filter((origin) => origin !== null)].join(' ')
}

const page = (
  { frameStyle }: WidgetFiles,
  { language }: WidgetText,
  title: string,
  rest: string,
): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/embed/assets/${frameStyle}">
${rest}
</body>
</html>
`

function buttonLookOf({ id, name, config }: PublicDeployment, t: WidgetText['t']): ButtonLook {
  return {
    deploymentId: id,
    label: t('open', { name: config.branding?.company_name || name }),
    color: colorOf(config),
    side: config.widget_placement === 'bottom-left' ? 'left' : 'right',
  }
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
