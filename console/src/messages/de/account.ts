import type { Translation } from '@parley/messages'
import type en from '../en/account.ts'

export default {
  title: 'Ihr Konto',
  description: 'Ihre Einstellungen in allen Organisationen',
  profile: {
    title: 'Profil',
    firstName: 'Vorname',
    lastName: 'Nachname',
    language: 'Sprache',
    languageHint: 'Für die Oberfläche und Ihre E-Mails',
    browserDefault: 'Sprache des Browsers',
    save: 'Änderungen speichern',
    saved: 'Profil gespeichert',
    id: 'Benutzer-ID',
    copyId: 'Benutzer-ID kopieren',
  },
  email: {
    title: 'E-Mail-Adresse',
    confirmed: 'Bestätigt',
    unconfirmed: 'Nicht bestätigt',
    resend: 'E-Mail erneut senden',
    resent: 'E-Mail gesendet',
    open: 'Öffnen Sie zur Bestätigung dieser Adresse den Link in der E-Mail, die Sie bei der Registrierung erhalten haben.',
    openUnsent:
      'Diese Installation versendet keine E-Mails. Der Link zur Bestätigung dieser Adresse liegt auf dem Server. Fragen Sie den Administrator danach.',
    openResent:
      'Öffnen Sie zur Bestätigung dieser Adresse den Link in der E-Mail. Falls sie nicht ankommt, prüfen Sie den Spam-Ordner.',
  },
  password: {
    title: 'Passwort',
    description:
      'Mit einem neuen Passwort werden Sie auf allen anderen Geräten abgemeldet. Wenn Sie kein Passwort haben oder es vergessen haben, <link>setzen Sie es zurück</link>.',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    newHint: 'Mindestens 8 Zeichen',
    wrong: 'Falsches Passwort',
    change: 'Passwort ändern',
    changed: 'Passwort geändert. Sie wurden auf allen anderen Geräten abgemeldet.',
    proof: 'Passwort',
  },
  factors: {
    title: 'Zwei-Faktor-Authentifizierung',
    description:
      'Fügt nach dem Passwort einen zweiten Schritt hinzu. Mit einem Passkey können Sie sich auch ohne Passwort anmelden.',
    addPasskey: 'Passkey hinzufügen',
    setUpApp: 'Authenticator-App einrichten',
    none: 'Die Zwei-Faktor-Authentifizierung ist ausgeschaltet. Sie melden sich nur mit Ihrem Passwort an.',
    list: 'Methoden der Zwei-Faktor-Authentifizierung',
    app: 'Hinzugefügt <ago></ago>',
    appName: 'Authenticator-App',
    passkey: 'Passkey · Hinzugefügt <ago></ago>',
    used: 'Zuletzt verwendet <ago></ago>',
    remove: 'Entfernen',
    removeNamed: '{name} entfernen',
    removeTitle: '{name} entfernen?',
    removeConsequence:
      'Sie können sich mit dieser Methode nicht mehr anmelden. Wenn keine andere übrig ist, wird die Zwei-Faktor-Authentifizierung ausgeschaltet, und Ihre Wiederherstellungscodes werden gelöscht.',
    removeAction: 'Methode entfernen',
    codesLeft: 'Verbleibende Wiederherstellungscodes: {count, number}',
  },
  passkey: {
    description: 'Sie bestätigen jede Anmeldung mit Ihrem Gerät oder Sicherheitsschlüssel.',
    name: 'Name',
    nameHint: 'Das Gerät, auf dem der Passkey gespeichert ist, etwa Laptop oder Sicherheitsschlüssel',
  },
  app: {
    description: 'Eine Authenticator-App auf Ihrem Smartphone zeigt alle 30 Sekunden einen neuen Code an.',
    continue: 'Weiter',
    scan: 'Scannen Sie den QR-Code mit der App, und geben Sie dann den angezeigten Code ein.',
    qrCode: 'QR-Code für die Authenticator-App',
    key: 'Sie können den QR-Code nicht scannen? Geben Sie diesen Schlüssel in der App ein:',
    copyKey: 'Schlüssel kopieren',
    code: 'Code',
    confirm: 'Code bestätigen',
  },
  codes: {
    regenerate: 'Wiederherstellungscodes neu erzeugen',
    consequence: 'Ihre aktuellen Wiederherstellungscodes funktionieren dann nicht mehr.',
    action: 'Codes neu erzeugen',
    title: 'Wiederherstellungscodes sichern',
    description:
      'Mit jedem Wiederherstellungscode können Sie sich einmal anmelden, wenn Sie Ihren Passkey oder Ihre Authenticator-App verlieren. Die Codes werden nicht erneut angezeigt.',
    list: 'Wiederherstellungscodes',
    copy: 'Codes kopieren',
    download: 'Codes herunterladen',
    done: 'Fertig',
  },
  sessions: {
    title: 'Aktive Sitzungen',
    list: 'Sitzungen',
    current: 'Dieser Browser',
    times: 'Zuletzt verwendet <used></used>, angemeldet <created></created>',
    signOut: 'Abmelden',
    signOutNamed: '{device} abmelden',
    signOutTitle: '{device} abmelden?',
    signOutConsequence: 'Um Parley auf diesem Gerät wieder zu verwenden, müssen Sie sich anmelden.',
    signedOut: 'Sitzung beendet',
    signOutOthers: 'Andere Sitzungen abmelden',
    signOutOthersTitle: 'Alle anderen Sitzungen abmelden?',
    signOutOthersConsequence: 'Nur dieser Browser bleibt angemeldet.',
    signedOutOthers: 'Andere Sitzungen beendet',
  },
  device: {
    unknown: 'Unbekanntes Gerät',
    browserOn: '{browser} unter {system}',
  },
  export: {
    title: 'Export',
    description:
      'Laden Sie Ihre Chats, Dateien, Anweisungen, Mitgliedschaften und Verbindungen in allen Organisationen als ZIP-Archiv herunter.',
    download: 'Export herunterladen',
    preparing: 'Der Export wird vorbereitet. Bleiben Sie auf dieser Seite.',
    progress: '{size} heruntergeladen. Bleiben Sie auf dieser Seite.',
    done: 'Export heruntergeladen',
  },
  delete: {
    title: 'Konto löschen',
    description:
      'Löscht Ihr Konto und Ihre Daten in allen Organisationen. Das kann nicht rückgängig gemacht werden.',
    action: 'Konto löschen',
    question: 'Ihr Konto löschen?',
    consequence: 'Ihr Konto wird sofort gelöscht. Das kann nicht rückgängig gemacht werden.',
    own: 'Ihre Chats, Unterhaltungen, Dateien, Anweisungen, Verbindungen und API-Schlüssel werden in allen Organisationen gelöscht.',
    alone: 'Organisationen ohne andere Mitglieder werden mit allen Daten gelöscht.',
    shared:
      'Agenten, Tools, Wissensdatenbanken und Deployments, die Sie in anderen Organisationen erstellt haben, bleiben dort. Ihre Aktionen bleiben in den Audit-Logs, ohne Ihre E-Mail- und IP-Adressen.',
    onlyOwner:
      'Wenn Sie der einzige Inhaber einer Organisation mit anderen Mitgliedern sind, übertragen Sie zuerst die Inhaberschaft.',
    type: 'Zur Bestätigung „{email}“ eingeben',
    password: 'Passwort',
    passwordHint:
      'Kein Passwort? Lassen Sie dieses Feld leer. Sie müssen sich in den letzten 10 Minuten angemeldet haben.',
    done: 'Konto gelöscht',
  },
  organization: {
    title: 'Neue Organisation',
    description:
      'Jede Organisation hat ihre eigenen Mitglieder, Agenten, Wissensdatenbanken, Modelle und Credits. Sie werden Inhaber der neuen Organisation.',
    name: 'Name',
    example: 'Muster GmbH',
    credits: 'Credits (optional)',
    creditsHint:
      'Diese Credits werden vom Guthaben Ihrer persönlichen Organisation abgezogen. Eine neue Organisation beginnt mit 0 Credits.',
    creditsHintAvailable:
      'Diese Credits werden vom Guthaben Ihrer persönlichen Organisation abgezogen ({credits} verfügbar). Eine neue Organisation beginnt mit 0 Credits.',
    create: 'Organisation erstellen',
    cancel: 'Abbrechen',
  },
} satisfies Translation<typeof en>
