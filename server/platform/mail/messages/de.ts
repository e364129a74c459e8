import type { Translation } from '@parley/messages'
import type en from './en.ts'

export default {
  openAddress: 'Oder öffnen Sie diesen Link: {link}',
  invitation: {
    subject:
      '{inviter} hat Sie {own, select, yes {in die eigene Organisation} other {zu {organization}}} eingeladen',
    invited:
      '{inviter} hat Sie eingeladen, {own, select, yes {der eigenen Organisation} other {{organization}}} auf Parley beizutreten.',
    quoted: '„{message}“',
    expires: 'Die Einladung läuft in 7 Tagen ab und gilt nur für diese E-Mail-Adresse.',
    action: 'Einladung annehmen',
  },
  magicLink: {
    subject: '{inviter} hat ein Parley-Konto für Sie erstellt',
    added:
      '{inviter} hat in {own, select, yes {der eigenen Organisation} other {{organization}}} auf Parley ein Konto für Sie erstellt.',
    expires:
      'Mit diesem Link melden Sie sich an. Er funktioniert einmal und läuft in 7 Tagen ab. Geben Sie ihn nicht weiter.',
    action: 'Anmelden',
  },
  addition: {
    subject:
      '{adder} hat Sie {own, select, yes {zur eigenen Organisation} other {zu {organization}}} hinzugefügt',
    added:
      '{adder} hat Sie auf Parley {own, select, yes {zur eigenen Organisation} other {zu {organization}}} hinzugefügt. Sie finden die Organisation in Ihrer Konsole.',
    privacy:
      'Bis Sie die Organisation öffnen, sehen ihre Mitglieder Ihren Namen und Ihre E-Mail-Adresse nicht, außer Sie haben eine andere Organisation gemeinsam.',
    leave:
      'Wenn Sie kein Mitglied sein möchten, verlassen Sie die Organisation. Der Link funktioniert 30 Tage lang.',
    action: 'Organisation verlassen',
  },
  suspension: {
    subject: '{organization} wurde gesperrt',
    reason: 'Die Systemadministration hat die Organisation gesperrt. Grund: {reason}',
    effect:
      'Bis die Sperre aufgehoben wird, können Mitglieder die Daten der Organisation nur lesen und exportieren, und ihre Deployments antworten nicht.',
    lifted: '{organization} ist nicht mehr gesperrt',
    again: 'In der Organisation funktioniert wieder alles.',
    action: 'Organisation öffnen',
  },
  verification: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    request:
      'Jemand hat sich mit dieser E-Mail-Adresse bei Parley registriert. Wenn Sie das waren, bestätigen Sie die Adresse.',
    otherwise: 'Wenn nicht, ignorieren Sie diese E-Mail. Die Adresse bleibt unbestätigt.',
    action: 'E-Mail-Adresse bestätigen',
  },
  reset: {
    subject: 'Passwort zurücksetzen',
    request:
      'Jemand möchte das Passwort Ihres Parley-Kontos zurücksetzen. Der Link funktioniert einmal und läuft in 1 Stunde ab.',
    otherwise: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
    action: 'Passwort zurücksetzen',
  },
  secondFactor: {
    totpAdded: {
      subject: 'Ihrem Konto wurde eine Authenticator-App hinzugefügt',
      detail: 'Parley fragt bei der Anmeldung jetzt nach einem Code aus der App.',
    },
    passkeyAdded: {
      subject: 'Ihrem Konto wurde ein Passkey hinzugefügt',
      detail: 'Sie können sich jetzt mit diesem Passkey anmelden.',
    },
    totpRemoved: {
      subject: 'Die Authenticator-App wurde aus Ihrem Konto entfernt',
      detail: 'Codes dieser App funktionieren nicht mehr.',
    },
    passkeyRemoved: {
      subject: 'Ein Passkey wurde aus Ihrem Konto entfernt',
      detail: 'Sie können sich nicht mehr mit diesem Passkey anmelden.',
    },
    codesReplaced: {
      subject: 'Ihre Wiederherstellungscodes wurden ersetzt',
      detail: 'Die bisherigen Codes funktionieren nicht mehr.',
    },
    codeUsed: {
      subject: 'Ein Wiederherstellungscode Ihres Kontos wurde verwendet',
      detail: 'Dieser Code funktioniert nicht mehr.',
    },
    reset: {
      subject: 'Die Zwei-Faktor-Authentifizierung wurde aus Ihrem Konto entfernt',
      detail:
        'Die Administration des Servers hat Ihre Passkeys, Ihre Authenticator-App und Ihre Wiederherstellungscodes entfernt und alle Sitzungen beendet.',
    },
    codesTried: {
      subject: 'Für Ihr Konto wurden zu viele Anmeldecodes eingegeben',
      detail: 'Codes sind bis zu 1 Stunde lang gesperrt. Passkeys funktionieren weiterhin.',
    },
    advice:
      'Wenn Sie das nicht veranlasst haben, ändern Sie Ihr Passwort, und prüfen Sie die Zwei-Faktor-Authentifizierung und die Sitzungen Ihres Kontos.',
    action: 'Konto öffnen',
  },
  webhook: {
    subject: 'Ein Webhook von {organization} wurde deaktiviert',
    gone: 'Parley sendet keine Ereignisse mehr an den Webhook von {organization} unter {host}, weil der Endpunkt mit 410 Gone geantwortet hat.',
    failing:
      'Parley sendet keine Ereignisse mehr an den Webhook von {organization} unter {host}, weil {days, plural, one {# Tag} other {# Tage}} lang jede Zustellung fehlgeschlagen ist.',
    pending:
      'Ausstehende Zustellungen wurden als fehlgeschlagen markiert. Wenn der Endpunkt wieder funktioniert, aktivieren Sie den Webhook und stellen Sie die verpassten Ereignisse erneut zu.',
    action: 'Webhooks öffnen',
  },
} satisfies Translation<typeof en>
