ALTER TABLE "kb_documents" ADD COLUMN "stored_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "response_conversations" ADD COLUMN "stored_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "responses" ADD COLUMN "stored_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Adds bytes to those that an organization stores. Returns null, or the limit that they would exceed: then it adds none. A
-- negative number is always added. The lock on the organization's row decides between concurrent callers.
CREATE OR REPLACE FUNCTION public.reserve_bytes(organization uuid, added bigint, default_limit bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  update organizations set stored_bytes = stored_bytes + added
  where id = organization
    and (added <= 0 or stored_bytes + added <= coalesce((features ->> 'file_upload')::numeric, default_limit));
  if found then
    return null;
  end if;
  return (select coalesce((features ->> 'file_upload')::numeric, default_limit) from organizations where id = organization);
end $function$;--> statement-breakpoint
-- Subtracts the stored bytes of deleted rows from those of their organizations, which it locks in the order of their ids.
CREATE OR REPLACE FUNCTION public.release_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from organizations where id in (select organization_id from gone where stored_bytes > 0) order by id
  for no key update;
  update organizations set stored_bytes = organizations.stored_bytes - sums.bytes
  from (select organization_id, sum(stored_bytes) as bytes from gone where stored_bytes > 0 group by 1) as sums
  where organizations.id = sums.organization_id;
  return null;
end $function$;--> statement-breakpoint
CREATE TRIGGER kb_documents_released AFTER DELETE ON kb_documents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_bytes();--> statement-breakpoint
CREATE TRIGGER response_conversations_released AFTER DELETE ON response_conversations REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_bytes();--> statement-breakpoint
CREATE TRIGGER responses_released AFTER DELETE ON responses REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_bytes();
