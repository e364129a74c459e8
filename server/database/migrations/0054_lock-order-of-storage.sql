-- Records the storage keys of deleted uploads, whose files a sweep then deletes. Subtracts the sizes of the uploads from
-- the stored bytes of their organizations, which it locks in the order of their ids.
CREATE OR REPLACE FUNCTION public.forget_uploads()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into deleted_files (storage_key) select storage_key from gone on conflict do nothing;
  perform from organizations where id in (select organization_id from gone) order by id for no key update;
  update organizations set stored_bytes = stored_bytes - sums.bytes
  from (select organization_id, sum(size) as bytes from gone group by organization_id) as sums
  where organizations.id = sums.organization_id;
  return null;
end $function$;--> statement-breakpoint
-- Deletes the placeholder user of a deleted deployment, after locking the user's chats and then the organization: a
-- statement that stores a response of the user locks the organization before the user.
CREATE OR REPLACE FUNCTION public.forget_deployment_visitors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from chats where organization_id = old.organization_id and user_id = old.visitor_user_id
    order by id for update;
  perform from organizations where id = old.organization_id for no key update;
  delete from users where id = old.visitor_user_id;
  return null;
end $function$;
