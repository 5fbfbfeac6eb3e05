<?php
// Fills and changes a WordPress whose configuration stands beside it, and writes its tables to an SQLite file.
//
// usage: php wordpress.php FOLDER URL install | change | dump DATABASE
[, $folder, $url, $what] = $argv;
$_SERVER['HTTP_HOST'] = parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
if ($what === 'install') {
    define('WP_INSTALLING', true);
}
require "$folder/wp-load.php";

function post(int $author, int $number): int
{
    $gmt = gmdate('Y-m-d H:i:s', 1735689600 + $number * 3600);
    return wp_insert_post([
        'post_author' => $author, 'post_title' => "Post $number \u{1F4DA}", 'post_content' => "Text of $number",
        'post_excerpt' => "Excerpt $number", 'post_status' => 'publish', 'post_date' => $gmt, 'post_date_gmt' => $gmt,
    ], true);
}

function comment(int $post, int $number): void
{
    global $wpdb;
    $gmt = gmdate('Y-m-d H:i:s', 1735689600 + $number * 60);
    $wpdb->insert($wpdb->comments, [
        'comment_post_ID' => $post, 'comment_author' => "reader $number", 'comment_content' => "Said \u{00E9} $number",
        'comment_date' => $gmt, 'comment_date_gmt' => $gmt, 'comment_approved' => '1', 'comment_type' => 'comment',
    ]);
}

if ($what === 'install') {
    require "$folder/wp-admin/includes/upgrade.php";
    wp_install('Library', 'admin', 'admin@example.org', true, '', 'a-long-passphrase-1');
    update_option('permalink_structure', '/index.php/%postname%/');
    flush_rewrite_rules();
    // What every new WordPress says.
    foreach (get_posts(['post_type' => 'any', 'numberposts' => -1]) as $post) {
        wp_delete_post($post->ID, true);
    }
    $number = 0;
    for ($n = 1; $n <= 15; $n++) {
        $author = wp_insert_user(['user_login' => "author$n", 'user_pass' => "pass $n", 'display_name' => "Author $n", 'user_email' => "author$n@example.org",
            'role' => 'author', 'description' => "Writes, $n"]);
        // More than a page, and a few; somebody without posts is no author to WordPress.
        for ($count = $n === 7 ? 130 : $n % 5 + 1; $count > 0; $count--) {
            $post = post($author, ++$number);
            for ($said = $number === 20 ? 210 : $number % 4; $said > 0; $said--) {
                comment($post, $number * 1000 + $said);
            }
        }
    }
} elseif ($what === 'change') {
    // Posts change, go and come, and so do comments, at random places.
    $posts = $wpdb->get_results("SELECT ID, post_author FROM $wpdb->posts WHERE post_type = 'post' AND post_status = 'publish'");
    foreach ($posts as $post) {
        if ($post->ID % 17 == 0) {
            wp_delete_post($post->ID, true);
        } elseif ($post->ID % 5 == 0) {
            wp_update_post(['ID' => $post->ID, 'post_title' => "Changed $post->ID"]);
        } elseif ($post->ID % 7 == 0) {
            comment($post->ID, 900000 + $post->ID);
        }
    }
    $wpdb->query("DELETE FROM $wpdb->comments WHERE comment_ID % 13 = 0");
    $wpdb->query("UPDATE $wpdb->comments SET comment_content = CONCAT(comment_content, ' changed') WHERE comment_ID % 11 = 0");
    comment(post(get_user_by('login', 'author3')->ID, 5000), 990000);
} else {
    $file = new PDO("sqlite:$argv[4]");
    $file->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
    foreach ([$wpdb->users, $wpdb->posts, $wpdb->comments, $wpdb->usermeta] as $table) {
        $rows = $wpdb->get_results("SELECT * FROM $table", ARRAY_A);
        $names = implode(', ', array_keys($rows[0]));
        $file->exec("DROP TABLE IF EXISTS $table");
        $file->exec("CREATE TABLE $table ($names)");
        $file->beginTransaction();
        $add = $file->prepare("INSERT INTO $table VALUES (" . implode(', ', array_fill(0, count($rows[0]), '?')) . ')');
        foreach ($rows as $row) {
            $add->execute(array_values($row));
        }
        $file->commit();
    }
}
